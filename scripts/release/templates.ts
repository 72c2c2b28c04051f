/** Files of package managers from the templates in packaging/, with versions, addresses and sums filled in. */
import pins from "../executable/runtime_pins.json" with { type: "json" };
import { archiveName, type Asset, packedName, type Platform, platformOf } from "./asset.ts";
import { assetUrl, pageOf, type PublicProject, registryName } from "./project.ts";

const ROOT = new URL("../../packaging/", import.meta.url);

/** What the templates are filled with. */
export interface ReleaseFacts {
  readonly project: PublicProject;
  readonly assets: readonly Asset[];
  /** SHA-256 of the archive with the packed program alone. */
  readonly packedSum: string;
}

/** A file, by its path below a directory. */
export interface TextFile {
  readonly path: string;
  readonly content: string;
}

/** All of them, by the names that their tools look for. */
export async function packageFiles(facts: ReleaseFacts): Promise<readonly TextFile[]> {
  const read = (path: string) => Deno.readTextFile(new URL(path, ROOT));
  return [
    { path: "homebrew/ahma_mcp.rb", content: filled(await read("homebrew/ahma_mcp.rb"), homebrew(facts)) },
    { path: "aur/PKGBUILD", content: filled(await read("aur/PKGBUILD"), aur(facts)) },
    { path: "nix/package.nix", content: filled(await read("nix/package.nix"), nix(facts)) },
    { path: "container/Dockerfile", content: filled(await read("container/Dockerfile"), shared(facts)) },
  ];
}

/** A template with each `@NAME@` replaced. @throws {Error} when a name has no value */
export function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/@([A-Z_]+)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The template has no value for @${name}@`);
    return value;
  });
}

function shared({ project }: ReleaseFacts): Readonly<Record<string, string>> {
  return {
    NAME: project.name,
    VERSION: project.version,
    DESCRIPTION: project.description.replace(/\.$/, ""),
    PAGE: pageOf(project),
    LICENSE: project.license,
    AUTHORS: project.authors,
    REGISTRY_NAME: registryName(project),
  };
}

function homebrew(facts: ReleaseFacts): Readonly<Record<string, string>> {
  const systems = [["darwin", "macos"], ["linux", "linux"]] as const;
  const blocks = systems.flatMap(([system, name]) => {
    const found = facts.assets.filter(({ target }) => platformOf(target).system === system);
    return found.length === 0 ? [] : [block(`  on_${name} do`, found.flatMap((asset) => formulaSource(asset, facts)))];
  });
  return { ...shared(facts), SOURCES: blocks.join("\n\n") };
}

function formulaSource({ target, archiveSum }: Asset, { project }: ReleaseFacts): readonly string[] {
  const processor = platformOf(target).processor === "arm64" ? "arm" : "intel";
  const url = assetUrl(project, archiveName(project, target));
  return [`    on_${processor} do`, `      url "${url}"`, `      sha256 "${archiveSum}"`, "    end"];
}

function block(head: string, lines: readonly string[]): string {
  return [head, ...lines, "  end"].join("\n");
}

/** The names of processors in Arch Linux. */
const ARCH_NAMES: Readonly<Record<Platform["processor"], string>> = { x64: "x86_64", arm64: "aarch64" };

function aur(facts: ReleaseFacts): Readonly<Record<string, string>> {
  const found = facts.assets.filter(({ target }) => platformOf(target).system === "linux")
    .map((asset) => ({ ...asset, architecture: ARCH_NAMES[platformOf(asset.target).processor] }));
  const sources = found.flatMap(({ target, archiveSum, architecture }) => [
    `source_${architecture}=("${assetUrl(facts.project, archiveName(facts.project, target))}")`,
    `sha256sums_${architecture}=('${archiveSum}')`,
  ]);
  return {
    ...shared(facts),
    ARCHITECTURES: found.map(({ architecture }) => `'${architecture}'`).join(" "),
    SOURCES: sources.join("\n"),
  };
}

function nix(facts: ReleaseFacts): Readonly<Record<string, string>> {
  return {
    ...shared(facts),
    URL: assetUrl(facts.project, packedName(facts.project)),
    HASH: `sha256-${Uint8Array.fromHex(facts.packedSum).toBase64()}`,
    RUNTIME_LEAST: pins.version.replace(/\.\d+$/, ""),
  };
}
