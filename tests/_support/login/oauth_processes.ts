/** Processes that use one login side by side. */
import assert from "node:assert/strict";
import { HTTP_PERMISSIONS } from "../../../scripts/permissions.ts";
import { loginFile, storedLogin } from "./login.ts";
import type { ServerProcess } from "../server_process.ts";
import { withServers } from "../servers/upstream.ts";
import { Workbench } from "../workbench.ts";

const CALLS = 8;
const TOOL = "guarded_guarded";

/** Makes the access token expired, or nearly so. */
export async function age(bench: Workbench, leftMs: number): Promise<void> {
  const login = await storedLogin(bench);
  const tokens = { ...login["tokens"] as object, obtainedAt: Date.now() - 3_600_000, expiresAt: Date.now() + leftMs };
  const file = await loginFile(bench);
  // A process that reads it sees all of the old or of the new one.
  await Deno.writeTextFile(`${file}.old`, JSON.stringify({ ...login, tokens }), { mode: 0o600 });
  await Deno.rename(`${file}.old`, file);
}

/**
 * Starts servers of ours that use one login of `bench`, each in a bench of its own. `act` gets a function that makes all
 * of them call at once and returns the texts of the answers.
 */
export async function withServersOf(
  bench: Workbench,
  url: string,
  processes: number,
  act: (callAll: () => Promise<readonly (readonly string[])[]>) => Promise<void>,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const start = async () => {
    const own = stack.use(new Workbench());
    await Deno.mkdir(`${own.home}/.local`, { recursive: true });
    await Deno.symlink(`${bench.home}/.local/state`, `${own.home}/.local/state`);
    const server = stack.use(await withServers(own, { guarded: { url } }, { permissions: HTTP_PERMISSIONS }));
    assert.strictEqual((await server.call(TOOL)).text, "called");
    return server;
  };
  const servers = await Promise.all(Array.from({ length: processes }, start));
  const callEight = async (server: ServerProcess) => {
    const answers = await Promise.all(Array.from({ length: CALLS }, () => server.call(TOOL)));
    return answers.map(({ text }) => text);
  };
  await act(() => Promise.all(servers.map(callEight)));
}

/** What so many of them answer. */
export function called(processes: number): readonly (readonly string[])[] {
  return Array.from({ length: processes }, () => Array.from({ length: CALLS }, () => "called"));
}
