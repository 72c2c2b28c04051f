/** The server card (H1) where a token is needed, where sessions are isolated, and in front of another server. */
import assert from "node:assert/strict";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { Workbench } from "./_support/workbench.ts";

Deno.test("H1 H8 the server card needs no token and says that requests do", async () => {
  using bench = new Workbench();
  await using server = await HttpServerProcess.start(bench, { flags: ["--require-token", "--session-isolation"] });
  const { remotes: [remote] } = await (await fetch(`${server.url}/server-card`)).json();
  assert.deepStrictEqual(remote.headers.map(({ description: _, ...one }: { description: string }) => one), [
    { name: "Authorization", isRequired: true, isSecret: true },
  ]);
  // Without a scope of the server's own, only sessions are served there.
  assert.strictEqual(remote.supportedProtocolVersions.at(-1), "2025-11-25");
});

Deno.test("H1 a third-party server has no server card", async () => {
  using bench = new Workbench();
  const script = bench.write(
    "server.py",
    await Deno.readTextFile(new URL("fixtures/stdio_server.py", import.meta.url)),
  );
  const flags = ["--server-command", "python3", "--server-args", script];
  await using server = await HttpServerProcess.start(bench, { flags });
  const answer = await fetch(`${server.url}/server-card`);
  assert.strictEqual(answer.status, 404);
  assert.match(await answer.text(), /does not know the card of the server behind it/);
});
