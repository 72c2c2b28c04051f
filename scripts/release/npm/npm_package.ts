/** The files of the npm package: the packed program, what starts it, and the manifest. */
import pins from "../../executable/runtime_pins.json" with { type: "json" };
import { workerFiles } from "../../bundle/worker_files.ts";
import { START_FLAGS } from "../../permissions.ts";
import type { ArchiveFile } from "../archive.ts";
import { pageOf, type Project, type PublicProject, registryName } from "../project.ts";

const ROOT = new URL("../../../", import.meta.url);

/** npm's packages of the runtime; npm installs the one that fits the machine. */
const RUNTIME_PACKAGES: readonly string[] = [
  "@deno/darwin-arm64",
  "@deno/darwin-x64",
  "@deno/linux-arm64-glibc",
  "@deno/linux-x64-glibc",
  "@deno/win32-arm64",
  "@deno/win32-x64",
];

/** The name of the package's file. */
export function npmTarballName({ name, version }: Project): string {
  return `${name}-${version}.tgz`;
}

/** `package.json`. Without a script of npm: nothing runs when it is installed. */
export function npmManifest(project: Project): Readonly<Record<string, unknown>> {
  const { name, version, description, keywords, license, authors, repository } = project;
  return {
    name,
    version,
    description,
    keywords,
    license,
    author: authors,
    ...(repository === undefined ? {} : whereItIs({ ...project, repository })),
    bin: { [name]: "bin/ahma_mcp" },
    files: ["bin"],
    os: ["linux", "darwin", "win32"],
    cpu: ["x64", "arm64"],
    optionalDependencies: Object.fromEntries(RUNTIME_PACKAGES.map((one) => [one, pins.version])),
  };
}

function whereItIs(project: PublicProject): Readonly<Record<string, unknown>> {
  return {
    mcpName: registryName(project),
    homepage: pageOf(project),
    repository: { type: "git", url: `git+${pageOf(project)}.git` },
    bugs: { url: `${pageOf(project)}/issues` },
  };
}

/** All files, below `package/` as npm wants them; reads the packed program of dist/. */
export async function npmFiles(project: Project): Promise<readonly ArchiveFile[]> {
  const text = (path: string) => Deno.readTextFile(new URL(path, ROOT));
  const starter = async (path: string) => (await text(path)).replace("@FLAGS@", START_FLAGS.join(" "));
  return [
    { path: "package/package.json", content: `${JSON.stringify(npmManifest(project), null, 2)}\n` },
    { path: "package/README.md", content: await text("packaging/npm/README.md") },
    { path: "package/LICENSE-MIT", content: await text("LICENSE-MIT") },
    { path: "package/LICENSE-APACHE", content: await text("LICENSE-APACHE") },
    { path: "package/bin/ahma_mcp", content: await starter("packaging/npm/ahma_mcp.sh"), executable: true },
    { path: "package/bin/ahma_mcp.cjs", content: await starter("packaging/npm/ahma_mcp.cjs") },
    { path: "package/bin/ahma_mcp.mjs", content: await Deno.readFile(new URL("dist/ahma_mcp.mjs", ROOT)) },
    ...(await workerFiles()).map(({ name, bytes }) => ({ path: `package/bin/worker/${name}`, content: bytes })),
  ];
}
