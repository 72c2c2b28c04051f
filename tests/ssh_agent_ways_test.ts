/** The ssh agent of commands (S42) where they come over HTTP, in sessions of their own, as a preview, in a shell, and in the background. */
import assert from "node:assert/strict";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runAs, sshProblem, type Started, withMachines } from "./_support/servers/ssh_machine.ts";
import { withUsersInTurn } from "./_support/workbench.ts";

const ignore = sshProblem();
const skipped = ignore === undefined ? "" : ` (skipped: ${ignore})`;

/** Logs in, and counts the keys. */
function line({ hosts: [host] }: Started): string {
  return `$GIT_SSH_COMMAND -o LogLevel=ERROR -p ${host?.port} root@127.0.0.1 'echo $((6 * 7))'; ssh-add -L | wc -l`;
}

/** The control, a server without the flags, is in ssh_agent_test.ts. */
const WORKS = /^42\n1\n/;

function flagsFor({ hosts: [host] }: Started): readonly string[] {
  return ["--sync", "--ssh-agent", "chosen of me", "--ssh-hosts", `127.0.0.1:${host?.port}`];
}

for (const [isolated, user] of withUsersInTurn([true, false])) {
  const how = isolated ? "in a session of its own" : "in one sandbox with others";
  Deno.test({
    name: `S42 H3 commands log in over HTTP, ${how}, as ${user}${skipped}`,
    ignore: ignore !== undefined,
    fn: () =>
      withMachines(user, ["ed25519"], async (started) => {
        const { bench, environment } = started;
        const flags = [...flagsFor(started), ...isolated ? ["--session-isolation"] : []];
        await using server = await HttpServerProcess.start(bench, { flags, environment });
        const roots = ["one", "two"].map((name) => bench.write(`${name}/.keep`, "").replace("/.keep", ""));
        const clients = await Promise.all(roots.map((root) => HttpClient.connect(server, { roots: [root] })));
        const answers = await Promise.all(clients.map((client) => client.shell(line(started))));
        for (const { text } of answers) assert.match(text, WORKS);
        const sockets = await Promise.all(clients.map((client) => client.shell("echo $SSH_AUTH_SOCK")));
        assert.strictEqual(new Set(sockets.map(({ text }) => text.split("\n")[0])).size, isolated ? 2 : 1);
        for (const client of clients) await client[Symbol.asyncDispose]();
        if (isolated) await saysWhatIsMissing(started, server);
      }),
  });
}

/** Without a key in the agent, a session that begins says so. */
async function saysWhatIsMissing({ bench, agent }: Started, server: HttpServerProcess): Promise<void> {
  await runAs(bench, ["ssh-add", "-q", "-D"], { SSH_AUTH_SOCK: agent.socket });
  await using client = await HttpClient.connect(server, { roots: [bench.scope] });
  await assert.rejects(client.shell("true"), /Cannot use key .*: your ssh agent does not have it .* Run ssh-add/);
}

Deno.test({
  name: `S42 S40 commands log in as a preview, in a named shell, in the background and at a terminal${skipped}`,
  ignore: ignore !== undefined,
  fn: () =>
    withMachines("ordinary", ["ed25519"], async (started) => {
      const { bench, environment } = started;
      const flags = [...flagsFor(started), "--preview"];
      const command = line(started);
      await using server = await ServerProcess.start(bench, { flags, environment });
      const preview = (await server.shell(`(${command}) > said; cat said`, { preview: true })).text;
      assert.match(preview, /^42\n1\n[^]*\nA said\n/);
      assert.match((await server.shell(command, { session: "kept" })).text, WORKS);
      assert.match((await server.shell(`(${command}) & wait`)).text, WORKS);
      assert.match((await server.shell(command, { tty: true })).text, /^42\r?\n1\r?\n/);
    }),
});
