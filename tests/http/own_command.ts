/** What a command finds at the port of the server it runs under, where all clients share one sandbox (S6, H8). */
import assert from "node:assert/strict";
import { HttpClient } from "../_support/clients/http_client.ts";
import { HttpServerProcess, initializeMessage } from "../_support/servers/http_server.ts";
import { freePort } from "../_support/servers/listening.ts";
import { sharing } from "../_support/sharing.ts";
import { Workbench } from "../_support/workbench.ts";
import { test } from "./servers.ts";

const SCRIPT = await Deno.readTextFile(new URL("../fixtures/use_server.py", import.meta.url));

interface Guarded {
  readonly bench: Workbench;
  readonly server: HttpServerProcess;
  readonly token: string;
}

/** Only clients with the token of the private file are served, in both eras, and nothing else tells it. */
async function servesItsHolders({ bench, server, token }: Guarded): Promise<void> {
  const path = tokenFile(bench);
  assert.match(server.stderr, new RegExp(`Token file: ${path}`));
  assert.ok(!server.stderr.includes(token));
  const { mode } = await Deno.stat(path);
  assert.strictEqual((mode ?? 0) & 0o777, 0o600);
  const refused = await server.post(initializeMessage("2025-11-25"));
  assert.deepStrictEqual([refused.status, refused.headers.get("www-authenticate")], [401, "Bearer"]);
  await refused.body?.cancel();
  const statuses = [];
  for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
    const listed = await server.modern("tools/list", {}, { headers, accept: "application/json" });
    await listed.body?.cancel();
    statuses.push(listed.status);
  }
  assert.deepStrictEqual(statuses, [401, 200]);
}

interface Expected {
  readonly inside: RegExp;
  readonly outside: string;
}

/** Runs the program as a command of the server, and outside. */
async function meets({ bench, server, token }: Guarded, { inside, outside }: Expected): Promise<void> {
  bench.write("use_server.py", SCRIPT);
  const headers = token === "-" ? {} : { authorization: `Bearer ${token}` };
  if (token !== "-") await servesItsHolders({ bench, server, token });
  await using client = await HttpClient.connect(server, { headers });
  const words = ["use_server.py", String(server.port), `${bench.elsewhere}/file`];
  const { text } = await client.shell(`python3 ${words.join(" ")}; cat ${tokenFile(bench)}; ls -A ${bench.home}`);
  assert.match(text, inside);
  assert.ok(!text.includes(token) || token === "-", "a command cannot read the token");
  const { stdout } = await new Deno.Command("python3", { args: words, cwd: bench.scope }).output();
  assert.strictEqual(new TextDecoder().decode(stdout), outside);
  assert.deepStrictEqual(await Array.fromAsync(Deno.readDir(bench.elsewhere)), []);
}

function tokenFile(bench: Workbench): string {
  return `${bench.home}/.local/state/ahma/http_token`;
}

/** Where commands listen, in every session. */
const INSIDE = 5173;

const testPublished = sharing(async (bench) => {
  const port = freePort();
  const flags = ["--network", "localhost", "--publish", `${port}:${INSIDE}`];
  const server = await HttpServerProcess.start(bench, { flags });
  return { server, port, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}, "ordinary");
const WHAT = "what a command finds at the port of its own server";

// No more than it could do without: the session has the sandbox that the command is in.
test(`S6 H2 H8 ${WHAT}`, (shared) =>
  meets({ ...shared, token: "-" }, { inside: /^served: inside\n/, outside: "served: inside\n" }));

// What a network reaches is the same for each user: network_test.ts.
testPublished(
  `S6 H2 H8 ${WHAT} with --network localhost`,
  ({ bench, server: { server } }) =>
    meets({ bench, server, token: "-" }, { inside: /^no way there\n/, outside: "served: inside\n" }),
);

// What commands read where the token is, they read for neither user: ../logins/refresh.ts.
Deno.test(`S6 H2 H8 ${WHAT} with --require-token`, async () => {
  using bench = new Workbench("ordinary");
  await using server = await HttpServerProcess.start(bench, { flags: ["--require-token"] });
  const token = (await Deno.readTextFile(tokenFile(bench))).trim();
  await meets({ bench, server, token }, { inside: /^refused with 401\n/, outside: "refused with 401\n" });
});

/** Answers with a word. */
const ANSWERS = `
import socket, sys
one = socket.create_server(("127.0.0.1", ${INSIDE}))
while True: one.accept()[0].sendall(sys.argv[1].encode())
`;

testPublished(
  "S34 H2 sessions of one HTTP server share a publication, which outlives each of them",
  async ({ bench, server: { server, port } }) => {
    bench.write("answers.py", ANSWERS);
    for (const name of ["first", "second"]) {
      await using client = await HttpClient.connect(server);
      const started = await client.call("sandboxed_shell", {
        command: `python3 answers.py ${name}`,
        until_port: INSIDE,
      });
      assert.ok(started.text.includes(`the person can open at http://127.0.0.1:${port}`), started.text);
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      const buffer = new Uint8Array(64);
      const length = await connection.read(buffer) ?? 0;
      assert.equal(new TextDecoder().decode(buffer.subarray(0, length)), name);
      await client.call("cancel", { id: started.operation?.operation_id });
    }
  },
);
