/** Archives whose bytes depend on names and contents only: the same on each machine, at each time. */

/** A time that zip files can hold, in seconds: the one that npm gives to files too. */
const TIME = Date.UTC(1985, 9, 26, 8, 15) / 1000;

/** A file for an archive. */
export interface ArchiveFile {
  /** Its path in the archive, without a slash in front. */
  readonly path: string;
  readonly content: Uint8Array | string;
  readonly executable?: boolean;
}

/** Writes files below a directory, with their modes and the one time. */
export async function writeFiles(directory: string, files: readonly ArchiveFile[]): Promise<void> {
  for (const { path, content, executable } of files) {
    const full = `${directory}/${path}`;
    await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    await Deno.writeFile(full, typeof content === "string" ? new TextEncoder().encode(content) : content);
    await Deno.chmod(full, executable === true ? 0o755 : 0o644);
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

/** Writes a zip file. @throws {Error} when zip fails */
export async function writeZip(target: string, files: readonly ArchiveFile[]): Promise<void> {
  await inTemporary(async (directory) => {
    await writeFiles(directory, files);
    const names = files.map(({ path }) => path).toSorted();
    const words = ["-X", "-q", `${directory}.zip`, ...names];
    await run("zip", words, { cwd: directory, env: { TZ: "UTC" } });
    await move(`${directory}.zip`, target);
  });
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
  await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
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
