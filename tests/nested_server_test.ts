/** A server that a command starts inside the sandbox of another one (S13): it works, and nothing is loosened. */
import assert from "node:assert/strict";
import { SERVER_RUN_FLAGS } from "../scripts/permissions.ts";
import { own } from "./attacks/means/as_user.ts";
import { testRuntime } from "./_support/runtime.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { type Shared, sharing } from "./_support/sharing.ts";
import { exists, type User, usersAtHand, Workbench } from "./_support/workbench.ts";

/** Several servers start one in the other, on a machine that may be busy. */
const MOST_SECONDS = 300;

/** Flags of the outer server that could keep the inner one from its work. */
const NARROWED: readonly string[] = ["--limit-memory", "4G", "--network", "none", "--unix-sockets", "deny"];

/** What a line of the outermost server prints. */
async function said(server: ServerProcess, line: string): Promise<string> {
  const { operation } = await server.start(line);
  const args = { operation_id: operation?.operation_id, timeout_seconds: MOST_SECONDS };
  return (await server.call("await", args, { deadline: MOST_SECONDS * 1000 })).text;
}

/** The words that start the program inside, and the flags that let commands read it. */
function program(user: User): { readonly words: string; readonly flags: readonly string[] } {
  const { deno, bundle, executable, cache } = testRuntime(user);
  const line = executable === undefined ? [deno, "run", ...SERVER_RUN_FLAGS, bundle] : [executable];
  const places = [deno, bundle, executable].flatMap((path) => path?.slice(0, path.lastIndexOf("/")) ?? []);
  // Compiled code is copied: a second compilation costs more than all else here.
  const warmed = `sh -c '[ -e $DENO_DIR ] || cp -r ${cache} $DENO_DIR; exec "$0" "$@"'`;
  return {
    words: `env DENO_DIR=$TMPDIR/deno ${warmed} ${line.join(" ")}`,
    flags: [...places, cache].flatMap((place) => ["--read", place]),
  };
}

/** A client as a project's own tests have it: it starts a server over stdio and asks for one command. */
const CLIENT = `import json, subprocess, sys
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(number, method, params):
  server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\\n")
  server.stdin.flush()
  for line in server.stdout:
    answer = json.loads(line)
    if answer.get("id") == number: return answer["result"]
ask(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
answer = ask(2, "tools/call", {"name": "sandboxed_shell", "arguments": {"command": sys.argv[1], "execution_mode": "Synchronous"}})
print("inner says", answer["content"][0]["text"])
server.stdin.close()
print("ended with", server.wait(20))
`;

/** A client starts a server inside this one, which serves it. */
async function serveInside({ bench, server }: Shared<ServerProcess>): Promise<void> {
  bench.write("client.py", CLIENT);
  const text = await said(
    server,
    `python3 client.py 'echo $((6 * 7)) > served; cat served' ${program(bench.user).words}`,
  );
  assert.match(text, /^inner says 42$/m);
  assert.match(text, /^ended with 0$/m);
  assert.strictEqual(await Deno.readTextFile(`${bench.scope}/served`), "42\n");
}

/** What a server without a sandbox of its own comes to where this runs lines. */
async function opened(bench: Workbench, run: (line: string) => Promise<string>) {
  const secret = bench.write(`${bench.elsewhere}/secret`, "a-secret\n");
  const line = `cat ${secret}; touch ${bench.elsewhere}/planted; echo ran`;
  const text = await run(`${program(bench.user).words} call --no-sandbox sandboxed_shell -- '${line}'`);
  const isPlanted = exists(`${bench.elsewhere}/planted`);
  return { ran: /^ran$/m.test(text), read: /^a-secret$/m.test(text), isPlanted };
}

for (const user of usersAtHand()) {
  const { words, flags } = program(user);
  const test = sharing((bench) => ServerProcess.start(bench, { flags }), user);

  // The other user's is that where the outer one narrows more.
  if (user === "root") {
    test(`S13 a command's own client starts a server inside, which serves it, as ${user}`, serveInside);
  }

  test(`S13 S14 a server inside without a sandbox of its own opens nothing that the outer one closes, as ${user}`, async ({ bench, server }) => {
    const inside = (line: string) => said(server, line);
    assert.deepStrictEqual(await opened(bench, inside), { ran: true, read: false, isPlanted: false });
  });

  // Namespaces are refused to each user in another way, and root's are those that it could have.
  if (user === usersAtHand()[0]) {
    test(`S13 doctor inside finds the sandbox of Landlock whole, and says why there are no namespaces, as ${user}`, async ({ bench, server }) => {
      const text = await said(server, `${words} doctor --json > report.json; ${words} doctor --sandbox`);
      assert.match(text, /namespaces are refused: by another sandbox \(also one of this program\)/);
      const { ok, checks } = JSON.parse(await Deno.readTextFile(`${bench.scope}/report.json`));
      const status = (id: string) => checks.find((check: { readonly id: string }) => check.id === id)?.status;
      assert.deepStrictEqual([ok, status("self_test"), status("write_outside"), status("namespaces")], [
        true,
        "ok",
        "ok",
        "warning",
      ]);
    });
  }

  // Limits, filters and layers of sandboxes bind each user alike: the one with fewer rights meets them.
  if (user === "root") continue;
  test(`S13 servers inside each other run a command in the innermost sandbox, as ${user}`, async ({ bench, server }) => {
    bench.write(
      "deeper.sh",
      `if [ "$1" = 0 ]; then echo innermost $((6 * 7)) > made; exit; fi
exec ${words} call ${flags.join(" ")} sandboxed_shell -- "sh ${bench.scope}/deeper.sh $(($1 - 1))"
`,
    );
    const text = await said(server, "sh deeper.sh 2");
    assert.ok(exists(`${bench.scope}/made`), text);
    assert.strictEqual(await Deno.readTextFile(`${bench.scope}/made`), "innermost 42\n");
  });

  Deno.test(`S13 a server inside serves where the outer one narrows memory, network and sockets, as ${user}`, async () => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench, { flags: [...flags, ...NARROWED] });
    await serveInside({ bench, server });
  });

  Deno.test(`S14 the control: the same program opens everything where it is not inside a sandbox, as ${user}`, async () => {
    using bench = new Workbench(user);
    const outside = (line: string) => own(bench, bench, `export TMPDIR=${bench.elsewhere}; ${line}`);
    assert.deepStrictEqual(await opened(bench, outside), { ran: true, read: true, isPlanted: true });
  });
}
