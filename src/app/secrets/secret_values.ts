/** Reads the values of secrets (S33): from a private file, a command of the user's, or the server's variable. */
import { messageOf, UserError } from "../../base/errors.ts";
import { askProgram } from "../../process/spawn.ts";
import type { SecretSettings } from "../../settings/secrets.ts";

type Environment = Readonly<Record<string, string>>;

/** A person may be asked for a password. */
const COMMAND_MS = 60_000;
const MOST_BYTES = 64 * 1024;
/** What the command leaves running holds its stdout, and is not waited for. */
const MARKED = '/bin/sh -c "$1"; code=$?; printf %s "$2"; exit $code';
/** What a header can carry: no spaces at its ends, no control characters. The shortest could stand in any answer by chance. */
const USABLE = /^[!-~](?:[ -~]*[!-~])$/;
const SHORTEST = 8;
const LONGEST = 4096;

/**
 * The values by name. `isReadable`: whether commands can read a path. @throws {UserError} When one cannot be had or used; the
 * message never shows it.
 */
export async function secretValues(
  { bindings, files, commands }: SecretSettings,
  environment: Environment,
  isReadable: (path: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  for (const name of new Set(bindings.map((one) => one.name))) {
    const [file, command] = [files.get(name), commands.get(name)];
    const text = file !== undefined
      ? await fromFile(name, file, isReadable)
      : command !== undefined
      ? await fromCommand(name, command, environment)
      : fromVariable(name, environment);
    values.set(name, usable(name, text.replace(/\r?\n$/, "")));
  }
  return values;
}

function usable(name: string, value: string): string {
  if (value.length < SHORTEST || value.length > LONGEST) {
    throw new UserError(
      `Cannot use secret "${name}": it has ${value.length} characters, expected ${SHORTEST} to ${LONGEST}`,
    );
  }
  if (USABLE.test(value)) return value;
  throw new UserError(`Cannot use secret "${name}": it holds characters that no header can carry, or several lines`);
}

function fromVariable(name: string, environment: Environment): string {
  const value = environment[name];
  if (value !== undefined && value !== "") return value;
  throw new UserError(
    `Cannot find secret "${name}": variable "${name}" is not set for this server. ` +
      `Set it, or give --secret-file ${name}=FILE or --secret-command ${name}=COMMAND`,
  );
}

async function fromFile(name: string, path: string, isReadable: (path: string) => boolean): Promise<string> {
  const problem = (why: string) => new UserError(`Cannot read secret "${name}" from "${path}": ${why}`);
  if (isReadable(path)) throw problem("commands can read it there. Keep it outside the scope");
  try {
    // Opening a pipe would wait for a writer.
    if (!(await Deno.stat(path)).isFile) throw problem("it is not a file");
    using file = await Deno.open(path);
    const { isFile, uid, mode, size } = await file.stat();
    if (!isFile) throw problem("it is not a file");
    if (uid !== Deno.uid()) throw problem("it belongs to another user");
    if (((mode ?? 0) & 0o077) !== 0) throw problem("other users can read it (chmod 600)");
    if (size > MOST_BYTES) throw problem("it is too large");
    return await new Response(file.readable).text();
  } catch (thrown) {
    throw thrown instanceof UserError ? thrown : problem(messageOf(thrown));
  }
}

async function fromCommand(name: string, command: string, environment: Environment): Promise<string> {
  const endMark = crypto.randomUUID();
  const asked = await askProgram({
    program: "/bin/sh",
    args: ["-c", MARKED, "sh", command, endMark],
    endMark,
    environment,
    // What a project holds decides nothing of a command that runs with all rights.
    directory: environment["HOME"] ?? "/",
    longestMs: COMMAND_MS,
    mostBytes: MOST_BYTES,
    signal: new AbortController().signal,
  });
  if (asked.kind === "answered") return asked.text;
  const why = asked.kind === "failed" ? "it failed" : `it did not end within ${COMMAND_MS / 1000} s, or wrote too much`;
  throw new UserError(`Cannot read secret "${name}" from its command: ${why}. Try the command in a terminal`);
}
