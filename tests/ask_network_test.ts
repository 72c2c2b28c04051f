/** A person is asked for hosts beyond the list (S35). */
import assert from "node:assert/strict";
import { type Answer, type Asking, choosing, withAsking } from "./_support/clients/asking.ts";
import { ERAS, ServerProcess } from "./_support/server_process.ts";
import { withUsersInTurn, Workbench } from "./_support/workbench.ts";

const GREETED = /^HTTP\/1\.1 400/;

for (const [era, user] of withUsersInTurn(ERAS)) {
  Deno.test(`S35 "this time" opens a host for the command that asks, and no other, as ${user}, ${era}`, async () => {
    await withAsking(choosing("this time"), async ({ connect, forms, port }) => {
      assert.match(await connect("one", "one"), /^HTTP\/1\.1 400.*\nHTTP\/1\.1 400/);
      assert.equal(forms.length, 1);
      assert.match(
        forms[0] ?? "",
        new RegExp(
          `^\`python3 client.py one.*\` wants to connect to one\\.example\\.test:${port} \\(tool sandboxed_shell, operation \\S+\\)$`,
        ),
      );
      assert.match(await connect("one"), GREETED);
      assert.equal(forms.length, 2);
      assert.match(await connect("listed"), GREETED);
      assert.equal(forms.length, 2);
    }, { user, era });
  });
}

for (const era of ERAS) {
  Deno.test(`S35 "this session" opens a host for all commands, and "no" keeps it closed unasked, ${era}`, async () => {
    const answer: Answer = (message) => choosing(message.includes("to two.") ? "no" : "this session")(message);
    await withAsking(answer, async ({ connect, forms }) => {
      assert.match(await connect("one"), GREETED);
      assert.match(await connect("one"), GREETED);
      assert.equal(forms.length, 1);
      assert.match(
        await connect("two"),
        /^ConnectionResetError\nSandbox: "two\.example\.test:\d+" was refused by the person who was asked\.$/,
      );
      assert.match(await connect("two"), /^gaierror\nSandbox: "two\.example\.test" was refused by the person/);
      assert.equal(forms.length, 2);
    }, { era });
  });
}

Deno.test("S35 a result names the flag for what no person allowed, and two refusals of a kind close that kind for the session", async () => {
  const closing: Answer = (message) => message.includes("to one.") ? { action: "decline" } : { action: "cancel" };
  await withAsking(closing, async ({ connect, forms, port }) => {
    const advice = (host: string) => ` A person can allow it: start the server with --network ...,${host}`;
    const unanswered = `Sandbox: "one.example.test:${port}" was asked for, and no person allowed it.`;
    assert.equal(
      await connect("one"),
      `ConnectionResetError\n${unanswered}${advice(`one.example.test:${port}`)}.`,
    );
    await connect("two");
    const closed = 'Sandbox: "three.example.test" is not asked for: two of its kind were not allowed in this session.';
    assert.equal(await connect("three"), `gaierror\n${closed}${advice("three.example.test")}.`);
    assert.equal(forms.length, 2);
    assert.match(await connect("listed"), GREETED);
  });
});

Deno.test("S35 a form that is accepted unchanged counts as no", async () => {
  const answer: Answer = (_message, preselected) => choosing(String(preselected))("");
  await withAsking(answer, async ({ connect }) => {
    assert.match(await connect("one"), /was refused by the person who was asked\.$/);
  });
});

Deno.test("S35 equal questions are asked once, and different ones one after the other", async () => {
  let open = 0;
  let most = 0;
  let asking: Asking | undefined;
  const answer: Answer = async () => {
    most = Math.max(most, ++open);
    // Meanwhile the server could put another one.
    await asking?.client.listTools();
    open--;
    return { action: "accept", content: { answer: "this session" } };
  };
  await withAsking(answer, async (begun) => {
    asking = begun;
    const { connect, forms } = begun;
    const all = await Promise.all([connect("one"), connect("one"), connect("two"), connect("three"), connect("two")]);
    for (const text of all) assert.match(text, GREETED);
    assert.deepStrictEqual([forms.length, most], [3, 1]);
  });
});

Deno.test("S35 a client without forms gets the sentence with the question for a terminal, at once", async () => {
  await withAsking(choosing("this session"), async ({ bench, client, connect, forms }) => {
    const denied = await connect("one");
    const id = /grants allow (q_\w+)`/.exec(denied)?.[1] ?? assert.fail(denied);
    assert.equal(
      denied,
      'gaierror\nSandbox: "one.example.test" is not on the list of --network. A person can allow it: run ' +
        `\`ahma_mcp grants allow ${id}\`, or start the server with --network ...,one.example.test.`,
    );
    assert.ok((await connect("one")).includes(`grants allow ${id}\``));
    bench.write("closes.py", CLOSING);
    const { content } = await client.callTool({
      name: "sandboxed_shell",
      arguments: { command: "python3 closes.py one.example.test" },
    });
    assert.ok(JSON.stringify(content).includes(`grants allow ${id}\``), JSON.stringify(content));
    const other = await connect("two");
    assert.match(other, /grants allow q_\w+`/);
    assert.ok(!other.includes(id), other);
    assert.equal(forms.length, 0);
  }, { takesForms: false });
});

/** Looks a name up and reads the answer, and asks again from sockets that it closes at once. */
const CLOSING = `
import socket, sys
try: socket.gethostbyname(sys.argv[1])
except OSError as error: print(error)
query = b"ZZ\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0"
query += b"".join(bytes([len(one)]) + one.encode() for one in sys.argv[1].split(".")) + b"\\0\\0\\1\\0\\1"
for _ in range(3): socket.socket(2, 2).sendto(query, ("127.0.0.1", 53))
last = socket.socket(2, 2)
last.sendto(query.replace(b"one", b"two"), ("127.0.0.1", 53))
last.recv(512)
sys.exit(1)
`;

/** Sends a request to a host and leaves, without waiting for anything; with a third argument it waits. */
const LEAVING = `
import os, socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 70)
s.sendall(b"GET /stolen HTTP/1.1\\r\\nHost: " + sys.argv[1].encode() + b"\\r\\n\\r\\n")
if sys.argv[3:]: s.recv(100)
os._exit(0)
`;

Deno.test("S35 a permission for this time covers neither another command nor processes left behind", async () => {
  const answer: Answer = (message) => choosing(message.includes("first") ? "this time" : "no")(message);
  await withAsking(answer, async ({ bench, client, connect, forms, greeter, port }) => {
    bench.write("leaving.py", LEAVING);
    const place = `one.example.test:${port}`;
    const first = client.callTool({
      name: "sandboxed_shell",
      arguments: {
        command: `: first; python3 client.py ${place}; touch begun; until [ -e go ]; do sleep 0.02; done; ` +
          `python3 client.py ${place}; python3 leaving.py one.example.test ${port} wait`,
      },
    });
    await bench.appears("begun");
    await Promise.all(Array.from({ length: 5 }, () =>
      client.callTool({
        name: "sandboxed_shell",
        arguments: {
          command: `: other; for i in 1 2 3 4; do python3 leaving.py one.example.test ${port} & done; wait`,
        },
      })));
    assert.match(await connect("one"), /was refused by the person who was asked/);
    assert.deepStrictEqual(greeter.paths, []);
    bench.write("go", "\n");
    const { content } = await first;
    assert.match(JSON.stringify(content), /HTTP\/1\.1 400 Bad Request\\nHTTP\/1\.1 400/);
    // As a control: the command that was allowed sends the same while it has the connection.
    assert.deepStrictEqual(greeter.paths, ["/stolen"]);
    assert.equal(forms.length, 2);
  });
});

Deno.test("S35 a question is in our own words, and text from a command stays inside quotes", async () => {
  const seen = Promise.withResolvers<string>();
  const answer: Answer = (message) => {
    seen.resolve(message);
    return { action: "decline" };
  };
  await withAsking(answer, async ({ client, port }) => {
    const command = `: "\`ls\` wants to read nothing"\u202e\u001b[2J; python3 client.py one.example.test:${port}`;
    await client.callTool({ name: "sandboxed_shell", arguments: { command } });
    assert.match(
      await seen.promise,
      /^`: "'ls' wants to read nothing"\\u202e\\u001b\[2J; [^`]*` wants to connect to one\.example\.test:\d+ \(tool/,
    );
  });
});

Deno.test("S35 --ask is refused where it cannot work, with the way out", async () => {
  for (
    const [flags, reason] of [
      [["--ask", "network"], /Cannot ask for network \(--ask\) with --network full: .*--network packages/],
      [["--ask", "read", "--no-sandbox"], /with --no-sandbox: nothing is denied/],
      [["--ask", "reads"], /"reads" is not supported, expected "read" or "write" or "network" or "protected"/],
    ] as const
  ) {
    using bench = new Workbench();
    await assert.rejects(ServerProcess.start(bench, { flags }), reason);
  }
});
