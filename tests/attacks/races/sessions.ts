/** The servers of a race: who moves things, and who launches meanwhile. */
import { HttpClient } from "../../_support/http_client.ts";
import { HttpServerProcess } from "../../_support/http_server.ts";
import type { ToolAnswer } from "../../_support/json_rpc.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { Workbench } from "../../_support/workbench.ts";

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
  /** How many launches were refused and tried again within the server, as its log says; absent: it is not seen. */
  readonly again?: () => number;
}

/** Starts the sessions of a race; the stack takes them down. */
export type StartSessions = (field: Field, stack: AsyncDisposableStack) => Promise<Sessions>;

const LOGGED: readonly string[] = ["--log-to-stderr", "--debug"];

function launchingIn(launches: ServerProcess, mover = launches): Sessions {
  return { mover, launches, again: () => launches.stderr.split("A launch was refused and is tried again").length - 1 };
}

/** One server, with these flags; `prefix` sets the conditions under which it runs. */
export function oneServer(flags: (field: Field) => readonly string[], prefix: readonly string[] = []): StartSessions {
  return async (field, stack) => {
    return launchingIn(
      stack.use(await ServerProcess.start(field.bench, { flags: [...flags(field), ...LOGGED], prefix })),
    );
  };
}

/** One server over the scope, whose command moves things, and one with these flags, in a bench of its own. */
export function twoServers(flags: (field: Field) => readonly string[]): StartSessions {
  return async (field, stack) => {
    const mover = stack.use(await ServerProcess.start(field.bench));
    const own = stack.use(new Workbench(field.bench.user));
    await Deno.copyFile(`${field.scope}/race`, `${own.scope}/race`);
    return launchingIn(stack.use(await ServerProcess.start(own, { flags: [...flags(field), ...LOGGED] })), mover);
  };
}

/** One server over HTTP with a session for the scope and one for `x/y` in it, which the ceiling allows. */
export function isolatedSessions(flags: readonly string[]): StartSessions {
  return async ({ bench, scope }, stack) => {
    const all = ["--session-isolation", "--sandbox-scope", scope, ...flags];
    const server = stack.use(await HttpServerProcess.start(bench, { flags: all }));
    const mover = stack.use(await HttpClient.connect(server, { roots: [scope] }));
    return { mover, launches: stack.use(await HttpClient.connect(server, { roots: [`${scope}/x/y`] })) };
  };
}
