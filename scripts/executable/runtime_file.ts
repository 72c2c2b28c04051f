/**
 * Gets the runtime's file for a target: kept from before, the one that runs this, or from a package registry by its own
 * client. Whatever it came from, its SHA-256 decides; it is compared each time.
 */
import { type RuntimePin, sha256, type Target } from "./pins.ts";

/** Where files are kept and looked for. */
export interface RuntimePlaces {
  /** An absolute directory. */
  readonly cache: string;
  /** A runtime that may be the one; it is used for its bytes only. */
  readonly own: string;
}

/**
 * The bytes of the runtime.
 * @throws {Error} When no source has the file of that SHA-256; each source is named with its reason.
 */
export async function runtimeFile(
  target: Target,
  pin: RuntimePin,
  { cache, own }: RuntimePlaces,
): Promise<Uint8Array<ArrayBuffer>> {
  const kept = `${cache}/deno-${pin.version}-${target}`;
  const problems: string[] = [];
  const sources: readonly (readonly [name: string, get: () => Promise<Uint8Array<ArrayBuffer>>])[] = [
    [kept, () => Deno.readFile(kept)],
    [own, () => Deno.readFile(own)],
    [`npm pack ${pin.package}@${pin.version}`, () => inTemporary((directory) => fromNpm(pin, directory))],
    [`pip download deno==${pin.version}`, () => inTemporary((directory) => fromWheel(pin, directory))],
  ];
  for (const [name, get] of sources) {
    const found = await fetched(get);
    if (typeof found === "string") {
      problems.push(`${name}: ${found}`);
      continue;
    }
    const sum = await sha256(found);
    if (sum === pin.sha256) {
      if (name !== kept) await keep(kept, found);
      return found;
    }
    problems.push(`${name}: its SHA-256 is ${sum}`);
  }
  throw new Error(
    `Cannot get the runtime deno ${pin.version} for ${target}, SHA-256 ${pin.sha256}:\n- ${problems.join("\n- ")}\n` +
      `Give this machine a package registry, or put the file at "${kept}"`,
  );
}

async function fetched(get: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer> | string> {
  try {
    return await get();
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

async function fromNpm(pin: RuntimePin, directory: string): Promise<Uint8Array<ArrayBuffer>> {
  await run("npm", ["pack", "--prefer-offline", "--silent", `${pin.package}@${pin.version}`], directory);
  const archive = await only(directory, ".tgz");
  await run("tar", ["-xzf", archive, "package/deno"], directory);
  return await Deno.readFile(`${directory}/package/deno`);
}

async function fromWheel(pin: RuntimePin, directory: string): Promise<Uint8Array<ArrayBuffer>> {
  const words = ["download", "--no-deps", "--only-binary=:all:", "--quiet", "--platform", pin.wheel];
  await run("python3", ["-m", "pip", ...words, `deno==${pin.version}`], directory);
  const archive = await only(directory, ".whl");
  await run("python3", ["-m", "zipfile", "-e", archive, "."], directory);
  return await Deno.readFile(`${directory}/deno-${pin.version}.data/scripts/deno`);
}

/** The one file of a directory with that end. */
async function only(directory: string, end: string): Promise<string> {
  const names = (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name);
  const [name, ...more] = names.filter((one) => one.endsWith(end));
  if (name === undefined || more.length > 0) throw new Error(`${names.length} files came, no single ${end}`);
  return name;
}

/** Puts bytes at a path at once: another process never sees half of them. */
async function keep(path: string, bytes: Uint8Array): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  const fresh = `${path}.${Deno.pid}`;
  await Deno.writeFile(fresh, bytes);
  await Deno.rename(fresh, path);
}

async function inTemporary<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await Deno.makeTempDir({ prefix: "ahma-runtime-file-" });
  try {
    return await work(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** @throws {Error} With the last line that the program said, when it fails. */
async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { success, code, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success) return;
  const said = new TextDecoder().decode(stderr).trim().split("\n").at(-1) ?? "";
  throw new Error(said === "" ? `exit code ${code}` : said);
}
