/** The servers of a race: who moves things, and who launches meanwhile. */
import { HttpClient } from "../../_support/clients/http_client.ts";
import { HttpServerProcess } from "../../_support/servers/http_server.ts";
import type { ToolAnswer } from "../../_support/json_rpc.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { copyProgram, Workbench } from "../../_support/workbench.ts";

/** Where a race is run. */
export interface Field {
  readonly bench: Workbench;
  /** The outer scope. */
  readonly scope: string;
  /** The tree outside; `y` in it holds a secret. */
  readonly out: string;
}

/** What tools are called in. */
export interface Session {
  call(name: string, args: object): Promise<ToolAnswer>;
}

export interface Sessions {
  readonly mover: Session;
  readonly launches: Session;
  /** The program of the race where launches find it, whatever moves. */
  readonly program: string;
  /** How many launches were refused and tried again within the server, as its log says; absent: it is not seen. */
  readonly again?: () => number;
}

/** Starts the sessions of a race; the stack takes them down. */
export type StartSessions = (field: Field, stack: AsyncDisposableStack) => Promise<Sessions>;

const LOGGED: readonly string[] = ["--log-to-stderr", "--debug"];

/** Sessions whose log is listened to. */
function heard(program: string, launches: ServerProcess, mover = launches): Sessions {
  const again = () => launches.stderr.split("A launch was refused and is tried again").length - 1;
  return { mover, launches, program, again };
}

/** A place outside the field, where the program of the race lies still. */
async function ownPlace(field: Field, stack: AsyncDisposableStack): Promise<Workbench> {
  const own = stack.use(new Workbench(field.bench.user));
  await copyProgram(`${field.scope}/race`, `${own.scope}/race`);
  return own;
}

/** One server, with these flags; `prefix` sets the conditions under which it runs. */
export function oneServer(flags: (field: Field) => readonly string[], prefix: readonly string[] = []): StartSessions {
  return async (field, stack) => {
    const all = [...flags(field), ...LOGGED];
    return heard(`${field.scope}/race`, stack.use(await ServerProcess.start(field.bench, { flags: all, prefix })));
  };
}

/** One server over the scope, whose command moves things, and one with these flags, in a bench of its own. */
export function twoServers(flags: (field: Field) => readonly string[]): StartSessions {
  return async (field, stack) => {
    const mover = stack.use(await ServerProcess.start(field.bench));
    const own = await ownPlace(field, stack);
    const all = [...flags(field), "--read", `${own.scope}/race`, ...LOGGED];
    return heard(`${own.scope}/race`, stack.use(await ServerProcess.start(own, { flags: all })), mover);
  };
}

/** One server over HTTP with a session for the scope and one for `x/y` in it, which the ceiling allows. */
export function isolatedSessions(flags: readonly string[]): StartSessions {
  return async (field, stack) => {
    const { bench, scope } = field;
    const program = `${(await ownPlace(field, stack)).scope}/race`;
    const all = ["--session-isolation", "--sandbox-scope", scope, "--read", program, ...flags];
    const server = stack.use(await HttpServerProcess.start(bench, { flags: all }));
    const mover = stack.use(await HttpClient.connect(server, { roots: [scope] }));
    return { mover, launches: stack.use(await HttpClient.connect(server, { roots: [`${scope}/x/y`] })), program };
  };
}
