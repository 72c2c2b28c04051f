/** A person is asked for hosts beyond the list (S35). */
import assert from "node:assert/strict";
import { type Answer, type Asking, choosing, withAsking } from "./_support/clients/asking.ts";
import { ERAS, ServerProcess } from "./_support/server_process.ts";
import { withUsersInTurn, Workbench } from "./_support/workbench.ts";

const GREETED = /^HTTP\/1\.1 400/;

for (const [era, user] of withUsersInTurn(ERAS)) {
  Deno.test(`S35 each answer opens a host as far as it says, and what no person allowed stays closed, as ${user}, ${era}`, async (test) => {
    const hostOf = (message: string) => / to (\w+)\.example\.test:/.exec(message)?.[1] ?? "";
    const answer: Answer = (message, preselected) => {
      if (hostOf(message) === "one") return choosing("this time")("");
      if (hostOf(message) === "two") return choosing("this session")("");
      if (hostOf(message) === "three") return choosing(String(preselected))("");
      return { action: era === "2025-11-25" ? "decline" : "cancel" };
    };
    await withAsking(answer, async (asking) => {
      await test.step('"this time" opens a host for the command that asks, and no other', () => provesOnce(asking));
      await test.step('"this session" opens a host for all commands', () => provesSession(asking));
      await test.step('a form that is accepted unchanged is a "no", which stays unasked', () => provesNo(asking));
      await test.step("a question is in our own words, and text from a command stays inside quotes; two refusals of a kind close that kind for the session", () =>
        provesClosed(asking));
      assert.deepStrictEqual(asking.forms.map(hostOf), ["one", "one", "two", "three", "four"]);
    }, { user, era });
  });
}

async function provesOnce({ connect, forms, port }: Asking): Promise<void> {
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
}

async function provesSession({ connect, forms }: Asking): Promise<void> {
  assert.match(await connect("two"), GREETED);
  assert.match(await connect("two"), GREETED);
  assert.equal(forms.length, 3);
}

async function provesNo({ connect, forms }: Asking): Promise<void> {
  assert.match(
    await connect("three"),
    /^ConnectionResetError\nSandbox: "three\.example\.test:\d+" was refused by the person who was asked\.$/,
  );
  assert.match(await connect("three"), /^gaierror\nSandbox: "three\.example\.test" was refused by the person/);
  assert.equal(forms.length, 4);
}

async function provesClosed({ shell, connect, forms, port }: Asking): Promise<void> {
  const advice = (host: string) => ` A person can allow it: start the server with --network ...,${host}`;
  const unanswered = `Sandbox: "four.example.test:${port}" was asked for, and no person allowed it.`;
  assert.equal(
    await shell(`: "\`ls\` wants to read nothing"\u202e\u001b[2J; python3 client.py four.example.test:${port}`),
    `ConnectionResetError\n${unanswered}${advice(`four.example.test:${port}`)}.`,
  );
  assert.match(
    forms[4] ?? "",
    /^`: "'ls' wants to read nothing"\\u202e\\u001b\[2J; [^`]*` wants to connect to four\.example\.test:\d+ \(tool/,
  );
  const closed = 'Sandbox: "five.example.test" is not asked for: two of its kind were not allowed in this session.';
  assert.equal(await connect("five"), `gaierror\n${closed}${advice("five.example.test")}.`);
  assert.match(await connect("listed"), GREETED);
}

Deno.test("S35 a client without forms gets the sentence with the question for a terminal, at once", async () => {
  await withAsking(choosing("this session"), async ({ bench, shell, connect, forms }) => {
    const denied = await connect("one");
    const id = /grants allow (q_\w+)`/.exec(denied)?.[1] ?? assert.fail(denied);
    assert.equal(
      denied,
      'gaierror\nSandbox: "one.example.test" is not on the list of --network. A person can allow it: run ' +
        `\`ahma_mcp grants allow ${id}\`, or start the server with --network ...,one.example.test.`,
    );
    assert.ok((await connect("one")).includes(`grants allow ${id}\``));
    bench.write("closes.py", CLOSING);
    assert.match(await shell("python3 closes.py one.example.test"), new RegExp(`grants allow ${id}\``));
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

Deno.test("S35 a permission for this time covers neither another command nor processes left behind; equal questions are asked once, and different ones one after the other", async (test) => {
  let open = 0;
  let most = 0;
  let asking: Asking | undefined;
  const answer: Answer = async (message) => {
    if (message.includes(" to one.")) return choosing(message.includes("first") ? "this time" : "no")(message);
    most = Math.max(most, ++open);
    // Meanwhile the server could put another one.
    await asking?.client.listTools();
    open--;
    return { action: "accept", content: { answer: "this session" } };
  };
  await withAsking(answer, async (begun) => {
    asking = begun;
    const { connect, forms } = begun;
    await test.step("this time", () => provesThisTime(begun));
    await test.step("equal questions", async () => {
      const hosts = ["two", "two", "three", "four", "three"];
      for (const text of await Promise.all(hosts.map((host) => connect(host)))) assert.match(text, GREETED);
      assert.deepStrictEqual([forms.length, most], [5, 1]);
    });
  });
});

async function provesThisTime({ bench, shell, connect, forms, greeter, port }: Asking): Promise<void> {
  bench.write("leaving.py", LEAVING);
  const place = `one.example.test:${port}`;
  const first = shell(
    `: first; python3 client.py ${place}; mkfifo go; touch begun; read -r _ < go; ` +
      `python3 client.py ${place}; python3 leaving.py one.example.test ${port} wait`,
  );
  await bench.appears("begun");
  const others = `: other; for i in 1 2; do python3 leaving.py one.example.test ${port} & done; wait`;
  await Promise.all(Array.from({ length: 2 }, () => shell(others)));
  assert.match(await connect("one"), /was refused by the person who was asked/);
  assert.deepStrictEqual(greeter.paths, []);
  await Deno.writeTextFile(`${bench.scope}/go`, "\n");
  assert.match(await first, /HTTP\/1\.1 400 Bad Request\nHTTP\/1\.1 400/);
  // As a control: the command that was allowed sends the same while it has the connection.
  assert.deepStrictEqual(greeter.paths, ["/stolen"]);
  assert.equal(forms.length, 2);
}

// The unit test of askingProblem() has the other reasons.
Deno.test("S35 --ask is refused where it cannot work, with the way out", async () => {
  using bench = new Workbench();
  await assert.rejects(
    ServerProcess.start(bench, { flags: ["--ask", "network"] }),
    /Cannot ask for network \(--ask\) with --network full: .*--network packages/,
  );
});
