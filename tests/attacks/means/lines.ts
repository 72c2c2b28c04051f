/** Shell lines of an attack that follow one another: in a server's sandbox, or in the user's own shell as the control. */
import { killIfThere, processesWith } from "../../_support/processes.ts";
import { programStart } from "../../_support/program.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { Workbench } from "../../_support/workbench.ts";
import { asUser } from "./as_user.ts";
import type { Scene } from "../frame/attack.ts";
import type { Setting } from "../frame/stage.ts";

/** What one line came to. */
export interface LineAnswer {
  readonly text: string;
  /** Whether the result tells of changed protected paths. */
  readonly told: boolean;
}

/**
 * What runs lines. The working directory is the bench's scope unless the call names one. `more` are arguments of the call,
 * of which a control knows nothing.
 */
export interface Lines extends AsyncDisposable {
  run(line: string, directory?: string, more?: object): Promise<LineAnswer>;
  /** Starts a line that goes on running until the lines are disposed of. */
  start(line: string): Promise<void>;
}

/** Gives `act` a fresh bench and what runs lines in it. A control needs no server: it costs less without. */
export async function withLines<Result>(
  scene: Scene,
  { prepare, flags, ...rest }: Setting,
  act: (lines: Lines, bench: Workbench) => Promise<Result>,
): Promise<Result> {
  using bench = new Workbench(scene.user);
  prepare?.(bench);
  await using lines = scene.enforced
    ? sandboxed(await ServerProcess.start(bench, { ...rest, flags: flags?.(bench) ?? [] }))
    : unsandboxed(bench, rest.environment);
  return await act(lines, bench);
}

/** In the sandbox of a server, which ends with them. */
export function sandboxed(server: ServerProcess): Lines {
  return {
    run: async (line, directory, more = {}) => {
      const place = directory === undefined ? {} : { working_directory: directory };
      const { text, result } = await server.shell(line, { ...place, ...more });
      return { text, told: JSON.stringify(result).includes("ahma/protected_changed") };
    },
    start: async (line) => void await server.start(line),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function unsandboxed(bench: Workbench, environment: Readonly<Record<string, string>> = {}): Lines {
  const started: Deno.ChildProcess[] = [];
  const shell = (line: string, cwd: string) => {
    const [command, ...args] = asUser(bench.user, ["bash", "-c", line]);
    const env = { ...programStart(bench, []).environment, ...environment };
    return new Deno.Command(command, { args, cwd, clearEnv: true, env, stdin: "null", stderr: "null" });
  };
  return {
    run: async (line, directory = bench.scope) => {
      const { stdout } = await shell(line, directory).output();
      return { text: new TextDecoder().decode(stdout), told: false };
    },
    start: (line) => {
      started.push(shell(line, bench.scope).spawn());
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: async () => {
      for (const { pid } of await processesWith(bench.marker)) killIfThere(pid);
      await Promise.all(started.map(({ status }) => status));
    },
  };
}
