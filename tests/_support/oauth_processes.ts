/** Processes that use one login side by side. */
import assert from "node:assert/strict";
import { withDeadline } from "./deadline.ts";
import { loginDirectory, loginFile, storedLogin } from "./login.ts";
import type { Workbench } from "./workbench.ts";

const PROCESSES = 3;
const CALLS = 8;

/** Makes the access token old: over, or nearly so. */
export async function age(bench: Workbench, leftMs: number): Promise<void> {
  const login = await storedLogin(bench);
  const tokens = { ...login["tokens"] as object, obtainedAt: Date.now() - 3_600_000, expiresAt: Date.now() + leftMs };
  const file = await loginFile(bench);
  // A process that reads it sees all of the old or of the new one.
  await Deno.writeTextFile(`${file}.old`, JSON.stringify({ ...login, tokens }), { mode: 0o600 });
  await Deno.rename(`${file}.old`, file);
}

/** Processes that are connected, and call when they are told to. */
export async function connected(bench: Workbench, url: string): Promise<readonly (() => Promise<unknown>)[]> {
  const script = new URL("oauth_calls.ts", import.meta.url).pathname;
  const args = ["run", "-A", "--no-check", script, loginDirectory(bench), url, `${CALLS}`];
  const start = async () => {
    const child = new Deno.Command(Deno.execPath(), { args, stdin: "piped", stdout: "piped" }).spawn();
    const said = child.stdout.pipeThrough(new TextDecoderStream());
    const reader = said.getReader();
    assert.strictEqual((await withDeadline(reader.read(), 60_000, "a connection")).value, "ready\n");
    reader.releaseLock();
    return async () => {
      await new Blob(["\n"]).stream().pipeTo(child.stdin);
      const answers = await withDeadline(Array.fromAsync(said), 60_000, "the answers");
      await child.status;
      return JSON.parse(answers.join("")) as unknown;
    };
  };
  return await Promise.all(Array.from({ length: PROCESSES }, start));
}

/** What all of them answer. */
export const CALLED = Array.from({ length: PROCESSES }, () => {
  return Array.from({ length: CALLS }, () => JSON.stringify([{ type: "text", text: "called" }]));
});
