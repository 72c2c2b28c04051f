/** Native tools of the packed program: the worker inside the sandbox, as both users (K1, K2, K10). */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { processesWith } from "./_support/processes.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { usersAtHand, Workbench } from "./_support/workbench.ts";

for (const user of usersAtHand()) {
  Deno.test(`S4 K2 K3 K10 native tools work in the project through a worker in the sandbox, read what --read opens, change what --write opens, and nothing else (${user})`, async () => {
    using bench = new Workbench(user);
    bench.write("a.txt", "alpha\nbeta\n");
    const secret = bench.write(`${bench.elsewhere}/secret.txt`, "outside");
    const readable = bench.write(`${bench.elsewhere}/readable/a.txt`, "there\n");
    const granted = bench.write(`${bench.elsewhere}/granted/a.txt`, "granted");
    const grants = ["--read", `${bench.elsewhere}/readable`, "--write", `${bench.elsewhere}/granted`];
    await using server = await ServerProcess.start(bench, {
      era: "none",
      flags: ["--inline-wait", "60000", "--bundles", "toolbox", ...grants],
    });
    const client = await connectClient(server, "2025-11-25");
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name, annotations }) => name === "files_read" && annotations?.readOnlyHint === true));
    assert.match(await read(client, "a.txt"), /1\talpha\n2\tbeta/);
    assert.match(await read(client, "b.txt"), /^Cannot find "b.txt" in ".*"; did you mean "a.txt"\?$/);
    assert.match(await read(client, secret), /outside the scope/);
    assert.match(await read(client, readable), /1\tthere/);
    assert.match(await call(client, "files_write", { path: readable, content: "x" }), /outside the scope/);
    assert.match(await read(client, granted), /1\tgranted/);
    assert.match(await call(client, "files_write", { path: granted, content: "changed" }), /\+changed/);
    assert.deepEqual([await Deno.readTextFile(readable), await Deno.readTextFile(granted)], ["there\n", "changed"]);
    await Deno.symlink(secret, `${bench.scope}/out.txt`);
    assert.match(await read(client, "out.txt"), /outside the scope/);
    assert.match(await read(client, "."), /it is a directory; files_list lists it/);
    if (user === "ordinary") {
      await comparesBranches(client);
      await replacesWorker(bench, client);
    }
  });
}

/** A worker that dies is replaced. */
async function replacesWorker(bench: Workbench, client: Client): Promise<void> {
  const worker = (await processesWith(bench.marker)).find(({ command }) => command.includes("worker/worker.js"));
  assert.ok(worker);
  Deno.kill(worker.pid, "SIGKILL");
  assert.match(await read(client, "a.txt"), /alpha|worker is gone/);
  assert.match(await read(client, "a.txt"), /alpha/);
}

function read(client: Client, path: string): Promise<string> {
  return call(client, "files_read", { path });
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  const [part] = content as { readonly type: string; readonly text: string }[];
  return part?.text ?? "";
}

const HISTORY = `git init -q -b main . && git config user.email a@example.com && git config user.name A &&
  echo 1 > kept.txt && echo 2 > old.txt && git add . && git commit -qm 1 && git switch -qc work &&
  git mv old.txt new.txt && echo 3 > added.txt && git add . && git commit -qm 2 && echo 4 >> kept.txt && echo 5 > loose.txt`;

/** `git_changes` shows what a branch changes and what is not committed. */
async function comparesBranches(client: Client): Promise<void> {
  await client.callTool({ name: "sandboxed_shell", arguments: { command: HISTORY } });
  const none = 'Cannot compare "none": there is no such branch or commit';
  assert.equal(await call(client, "git_changes", { branch: "none" }), none);
  assert.equal(
    (await call(client, "git_changes", {})).replace(/[0-9a-f]{12}/, "COMMIT"),
    "Branch work, 1 commit since it left main at COMMIT: 2 files\nA added.txt\nR old.txt -> new.txt\n" +
      "Not committed: 2 files\nM kept.txt\n?? loose.txt",
  );
}
