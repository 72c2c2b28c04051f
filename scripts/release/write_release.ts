/** Writes all files of a release into a directory; the same inputs give the same bytes, wherever it runs. */
import { sha256, type Target } from "../executable/pins.ts";
import { type ArchiveFile, writeTarball, writeZip } from "./archive.ts";
import { archiveName, type Asset, mcpbName, packagingName, packedName, programName } from "./asset.ts";
import { importedPackages } from "./imported_packages.ts";
import { mcpbManifest } from "./mcpb.ts";
import { releaseNotes } from "./notes.ts";
import { workerFiles } from "../bundle/worker_files.ts";
import { npmFiles, npmTarballName } from "./npm/npm_package.ts";
import type { PublicProject } from "./project.ts";
import { sbom } from "./sbom.ts";
import { serverJson } from "./server_json.ts";
import { packageFiles } from "./templates.ts";

const ROOT = new URL("../../", import.meta.url);

/** Files that lie next to the assets and are no assets themselves: they name the sums, or are for people. */
const WITHOUT_SUM: readonly string[] = ["notes.md"];

/** What a release is made of. */
export interface ReleaseParts {
  readonly project: PublicProject;
  /** The executables that could be made, by target. */
  readonly programs: ReadonlyMap<Target, string>;
  /** An absolute path; existing content is removed. */
  readonly directory: string;
}

/** Writes it; returns the names of the assets, as SHA256SUMS lists them. */
export async function writeRelease(parts: ReleaseParts): Promise<readonly string[]> {
  const { project, directory } = parts;
  await emptied(directory);
  const text = (name: string, content: string) => writeText(`${directory}/${name}`, content);
  const assets: Asset[] = [];
  for (const target of parts.programs.keys()) assets.push(await writeAsset(target, parts));
  const packed = `${directory}/${packedName(project)}`;
  await writeTarball(packed, await packedFiles());
  await writeTarball(`${directory}/${npmTarballName(project)}`, await npmFiles(project));
  const lock = JSON.parse(await Deno.readTextFile(new URL("deno.lock", ROOT)));
  await text(`${project.name}-${project.version}.cdx.json`, json(sbom(project, await importedPackages(), lock)));
  await text("server.json", json(serverJson(project, assets)));
  const packedSum = await sumOf(packed);
  const others = await packageFiles({ project, assets, packedSum });
  for (const { path, content } of others) await text(path, content);
  await writeTarball(`${directory}/${packagingName(project)}`, others);
  await text("notes.md", releaseNotes(project, await Deno.readTextFile(new URL("CHANGELOG.md", ROOT))));
  return await writeSums(directory);
}

async function writeAsset(target: Target, { project, programs, directory }: ReleaseParts): Promise<Asset> {
  const content = await Deno.readFile(programs.get(target) ?? "");
  const name = programName(project, target);
  const program = (path: string): ArchiveFile => ({ path, content, executable: true });
  const manifest = { path: "manifest.json", content: json(mcpbManifest(project, target)) };
  const archive = `${directory}/${archiveName(project, target)}`;
  const bundle = `${directory}/${mcpbName(project, target)}`;
  const others = await licenses();
  await Promise.all([
    writeTarball(archive, [program(name), ...others]),
    writeZip(bundle, [manifest, program(`server/${name}`), ...others]),
  ]);
  return { target, archiveSum: await sumOf(archive), bundleSum: await sumOf(bundle) };
}

async function packedFiles(): Promise<readonly ArchiveFile[]> {
  return [
    { path: "ahma_mcp", content: await Deno.readFile(new URL("dist/ahma_mcp", ROOT)), executable: true },
    { path: "ahma_mcp.mjs", content: await Deno.readFile(new URL("dist/ahma_mcp.mjs", ROOT)) },
    ...(await workerFiles()).map(({ name, bytes }) => ({ path: `worker/${name}`, content: bytes })),
    ...await licenses(),
  ];
}

async function licenses(): Promise<readonly ArchiveFile[]> {
  const read = async (path: string) => ({ path, content: await Deno.readTextFile(new URL(path, ROOT)) });
  return await Promise.all(["LICENSE-MIT", "LICENSE-APACHE"].map(read));
}

/** `SHA256SUMS` over all files at the top, as `sha256sum --check` reads it. */
async function writeSums(directory: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(directory));
  const names = entries.filter(({ name, isFile }) => isFile && !WITHOUT_SUM.includes(name)).map(({ name }) => name);
  const lines = names.toSorted().map(async (name) => `${await sumOf(`${directory}/${name}`)}  ${name}\n`);
  await writeText(`${directory}/SHA256SUMS`, (await Promise.all(lines)).join(""));
  return names.toSorted();
}

async function sumOf(path: string): Promise<string> {
  return await sha256(await Deno.readFile(path));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function writeText(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
}

async function emptied(directory: string): Promise<void> {
  try {
    await Deno.remove(directory, { recursive: true });
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  }
  await Deno.mkdir(directory, { recursive: true });
}
