/** Servers of `--mcp-config` with a list of hosts: it holds for the server, whatever commands may reach (S30, O6). */
import assert from "node:assert/strict";
import { namesHere } from "./_support/names_here.ts";
import { upstreamServer, withServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

const LISTED = "listed.example.test";
const OTHER = "other.example.test";

async function echo(listener: Deno.TcpListener): Promise<void> {
  for await (const connection of listener) await connection.readable.pipeTo(connection.writable).catch(() => {});
}

Deno.test("S30 O6 a server reaches only the hosts of its entry, and its list opens nothing to commands", async () => {
  using bench = new Workbench("ordinary");
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const echoing = echo(listener);
  const servers = {
    "listed": upstreamServer(bench, { network: [`${LISTED}:${port}`] }),
    "other": upstreamServer(bench, { sandbox: { network: { allowedDomains: [`${OTHER}:${port}`] } } }),
    "closed": upstreamServer(bench),
    "wrong": upstreamServer(bench, { network: [] }),
  };
  const flags = ["--network", "none", "--allow-private-hosts", LISTED, "--allow-private-hosts", OTHER];
  const options = { flags, prefix: namesHere(bench, `${LISTED} ${OTHER}`), permissions: ["--allow-net"] };
  await using server = await withServers(bench, servers, options);
  const connect = async (name: string, host: string) =>
    (await server.call(`${name}_connect`, { text: `${host}:${port}` })).text;
  assert.strictEqual(await connect("listed", LISTED), "done x");
  assert.match(await connect("listed", OTHER), /^refused/);
  assert.match(await connect("listed", "127.0.0.1"), /^refused/);
  assert.match(await connect("other", LISTED), /^refused/);
  assert.strictEqual(await connect("other", OTHER), "done x");
  assert.match(await connect("closed", LISTED), /^refused/);
  const command = await server.shell(`: < /dev/tcp/${LISTED}/${port}`);
  assert.ok(command.failed, command.text);
  assert.match((await server.call("status")).text, /wrong: .*The list is empty/);
  listener.close();
  await echoing;
});
