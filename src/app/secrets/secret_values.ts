/** Reads the values of secrets (S33): from a private file, a command of the user's, or the server's variable. */
import { UserError } from "../../base/errors.ts";
import { askProgram } from "../../process/spawn.ts";
import type { SecretSettings } from "../../settings/secrets.ts";
import { readPrivateText } from "../../system/reading/private_text.ts";

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

/** The values by name. `isReadable`: by commands. @throws {UserError} When one is unusable, without showing it. */
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
  const text = await readPrivateText(path, MOST_BYTES);
  if (!text.ok) throw problem(text.problem);
  return text.value;
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
