/** Archives whose bytes depend on names and contents only: the same on each machine, at each time. */
import { zipOf } from "./zip.ts";

/** The time of all files, in seconds: zip can represent it, and npm uses it too. */
const TIME = Date.UTC(1985, 9, 26, 8, 15) / 1000;

export interface ArchiveFile {
  /** Its path in the archive, without a slash in front. */
  readonly path: string;
  readonly content: Uint8Array | string;
  readonly executable?: boolean;
}

/** Writes files below a directory, with their modes and the one time. */
export async function writeFiles(directory: string, files: readonly ArchiveFile[]): Promise<void> {
  for (const file of files) {
    const full = `${directory}/${file.path}`;
    await makeParent(full);
    await Deno.writeFile(full, bytesOf(file));
    await Deno.chmod(full, modeOf(file));
    await Deno.utime(full, TIME, TIME);
  }
}

/** Writes a `.tar.gz`. @throws {Error} when tar or gzip fails */
export async function writeTarball(target: string, files: readonly ArchiveFile[]): Promise<void> {
  await inTemporary(async (directory) => {
    await writeFiles(directory, files);
    const names = files.map(({ path }) => path).toSorted();
    const form = ["--format=ustar", "--owner=0", "--group=0", "--numeric-owner", `--mtime=@${TIME}`];
    await run("tar", ["--create", `--file=${directory}.tar`, ...form, `--directory=${directory}`, ...names]);
    await run("gzip", ["--no-name", "--force", `${directory}.tar`]);
    await move(`${directory}.tar.gz`, target);
  });
}

/** Writes a zip file. */
export async function writeZip(target: string, files: readonly ArchiveFile[]): Promise<void> {
  const entries = files.map((file) => ({ path: file.path, content: bytesOf(file), mode: modeOf(file) }))
    .toSorted((one, other) => one.path < other.path ? -1 : 1);
  await makeParent(target);
  await Deno.writeFile(target, zipOf(entries, new Date(TIME * 1000)));
}

function bytesOf({ content }: ArchiveFile): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

function modeOf({ executable }: ArchiveFile): number {
  return executable === true ? 0o755 : 0o644;
}

async function makeParent(path: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
}

async function inTemporary(work: (directory: string) => Promise<void>): Promise<void> {
  const parent = await Deno.makeTempDir({ prefix: "ahma-archive-" });
  try {
    await work(`${parent}/files`);
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

/** Also to another file system. */
async function move(from: string, to: string): Promise<void> {
  await makeParent(to);
  await Deno.copyFile(from, to);
}

async function run(command: string, args: readonly string[], options: Deno.CommandOptions = {}): Promise<void> {
  const { success, code, stderr } = await new Deno.Command(command, {
    ...options,
    args: [...args],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`${command} failed (exit code ${code}): ${new TextDecoder().decode(stderr).trim()}`);
}
