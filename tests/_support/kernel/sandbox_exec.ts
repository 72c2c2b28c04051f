/**
 * Stand-ins for macOS' sandbox-exec on other systems. One accepts the same arguments, records them, and starts the
 * command unconfined; the others fail as the real program is known to fail.
 */
import { compose, type Program } from "../../../src/app/compose_service.ts";
import { parseCommandLine } from "../../../src/settings/flags/parse_command_line.ts";
import { readInvocation } from "../../../src/settings/settings.ts";
import type { Logger } from "../../../src/base/log.ts";
import type { Workbench } from "../workbench.ts";

const RECORDING = `#!/bin/sh
here=\${0%/*}
: > "$here/values"
while getopts D:f:n:p: option; do
  case $option in
    D) printf '%s\\0' "$OPTARG" >> "$here/values" ;;
    f) cat "$OPTARG" > "$here/profile" || exit 65 ;;
    *) exit 64 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || exit 64
printf '%s\\0' "$@" > "$here/command"
exec "$@"
`;

/** The arguments of the last start. */
export interface RecordedStart {
  readonly profile: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

export class StandIn {
  readonly path: string;
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
    this.path = `${directory}/sandbox-exec`;
  }

  /** Writes the recording stand-in, or one with these lines of shell. */
  static make(bench: Workbench, failing?: string): StandIn {
    const standIn = new StandIn(`${bench.parent}/stand-in`);
    bench.write(standIn.path, failing === undefined ? RECORDING : `#!/bin/sh\n${failing}\n`);
    Deno.chmodSync(standIn.path, 0o755);
    return standIn;
  }

  async lastStart(): Promise<RecordedStart> {
    const text = (name: string) => Deno.readTextFile(`${this.#directory}/${name}`);
    const words = async (name: string) => (await text(name)).split("\0").slice(0, -1);
    const values = (await words("values")).map((word): [string, string] => {
      const at = word.indexOf("=");
      return [word.slice(0, at), word.slice(at + 1)];
    });
    return { profile: await text("profile"), parameters: Object.fromEntries(values), command: await words("command") };
  }
}

export interface MacOptions {
  readonly flags?: readonly string[];
  /** Absent: the recording stand-in. */
  readonly sandboxExec?: string;
  readonly log: Logger;
}

/** The program as it is on macOS, with a stand-in. @throws {UserError} When it refuses to start. */
export async function composeForMac(bench: Workbench, { flags = [], sandboxExec, log }: MacOptions): Promise<Program> {
  const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: bench.home, TMPDIR: bench.elsewhere, SECRET: "s" };
  const line = parseCommandLine(["--sandbox-scope", bench.scope, ...flags]);
  if (!line.ok) throw new Error(line.problem);
  const invocation = readInvocation(line.value, { environment, cores: 2 });
  if (!invocation.ok || invocation.value.kind !== "run") throw new Error("No settings");
  const { settings } = invocation.value;
  const platform = { os: "darwin", sandboxExec: sandboxExec ?? StandIn.make(bench).path };
  return await compose({ settings, environment, log, platform });
}
