/** A person is asked for hosts beyond the list, over each transport; and what is left when a side goes away (S35). */
import assert from "node:assert/strict";
import type { ElicitResult } from "@modelcontextprotocol/client";
import {
  type Answer,
  type Asking,
  askingFlags,
  choosing,
  CLIENT,
  Greeter,
  HOSTS,
  withAsking,
} from "./_support/clients/asking.ts";
import { connectHttpClient } from "./_support/clients/sdk_client.ts";
import { withDeadline } from "./_support/deadline.ts";
import { namesHere } from "./_support/names_here.ts";
import { type Era, ERAS, ServerProcess } from "./_support/server_process.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { withUsersInTurn, Workbench } from "./_support/workbench.ts";
import { ANYTHING } from "../src/service/sdk/wrong_parameters.ts";
import { member } from "../src/wire/json_value.ts";

const DEADLINE = 20_000;
/** A form waits for most of a minute. */
const SILENCE_DEADLINE = 300_000;
const GREETED = /^(?:\[a person is asked: connect to one\.example\.test:\d+\?\]\n)?HTTP\/1\.1 400/;

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

Deno.test("S35 H3 isolated sessions are asked and answered separately, and clients without a session are not asked", async () => {
  using bench = new Workbench();
  bench.write("client.py", CLIENT);
  await using greeter = new Greeter();
  await using server = await HttpServerProcess.start(bench, {
    flags: [
      "--session-isolation",
      "--max-sessions",
      "2",
      "--sandbox-scope",
      bench.scope,
      "--sync",
      ...askingFlags(greeter.port),
    ],
    prefix: namesHere(bench, HOSTS.join(" ")),
  });
  const forms: string[] = [];
  const connectTo = async (answer: string, era: Era) => {
    const client = await connectHttpClient(server.url, era, {
      capabilities: { elicitation: {} },
      onElicit: (params) => {
        forms.push(answer);
        return choosing(answer)(String(params["message"]));
      },
    });
    const connect = async () => {
      const command = `python3 client.py one.example.test:${greeter.port}`;
      const { content } = await client.callTool({ name: "sandboxed_shell", arguments: { command } });
      return content.map((part) => part.type === "text" ? part.text : "").join("\n");
    };
    return { connect, close: () => client.close() };
  };
  const yes = await connectTo("this session", "2025-11-25");
  const no = await connectTo("no", "2025-11-25");
  const without = await connectTo("this session", "2026-07-28");
  assert.match(await yes.connect(), GREETED);
  assert.match(await yes.connect(), GREETED);
  assert.match(await no.connect(), /was refused by the person who was asked/);
  assert.match(await yes.connect(), GREETED);
  assert.match(await without.connect(), /start the server with --network \.\.\.,one/);
  assert.deepStrictEqual(forms, ["this session", "no"]);
  await Promise.all([yes, no, without].map((one) => one.close()));
});

/** Connects from an operation whose call has its answer by then, and gives the operation's result as JSON. */
async function connectLater({ client, bench, port }: Asking): Promise<string> {
  const command = `until [ -e go ]; do sleep 0.02; done; python3 client.py one.example.test:${port}`;
  const begun = await client.callTool({
    name: "sandboxed_shell",
    arguments: { command, execution_mode: "AsyncResultPush" },
  });
  bench.write("go", "\n");
  const [, id] = /(op_\w+)/.exec(JSON.stringify(begun.content)) ?? [];
  const ended = await client.callTool({ name: "await", arguments: { operation_id: id } });
  return JSON.stringify(ended.content);
}

/** In each era: a call that its client takes as a task, or would if it were one. */
async function provesTask(asking: Asking, era: Era): Promise<void> {
  const { client, port, forms } = asking;
  const request = async (method: string, params: Readonly<Record<string, unknown>>) =>
    await client.request({ method, params: { ...params } }, ANYTHING);
  const call = {
    name: "sandboxed_shell",
    arguments: { command: `sleep 1; python3 client.py two.example.test:${port}` },
  };
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  const answer = era === "2025-11-25"
    ? await request("tools/call", { ...call, task: { ttl: 60_000 } })
    : await request("tools/call", {
      ...call,
      _meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation: {}, extensions } },
    });
  const taskId = member(member(answer, "task"), "taskId");
  assert.equal(typeof taskId, era === "2025-11-25" ? "string" : "undefined");
  const result = taskId === undefined ? answer : await request("tasks/result", { taskId });
  assert.match(JSON.stringify(result), /\[a person is asked: [^\]]*\]\\nHTTP\/1\.1 400/);
  assert.equal(forms.length, 1);
  const later = await connectLater(asking);
  assert.match(later, era === "2025-11-25" ? /HTTP\/1\.1 400/ : /ahma_mcp grants allow q_\w+/);
  assert.equal(forms.length, era === "2025-11-25" ? 2 : 1);
}

Deno.test("S35 X5 a call that its client takes as a task asks before it is one, and a call that was answered leaves its questions to a terminal, 2026-07-28", () =>
  withAsking(choosing("this session"), (asking) => provesTask(asking, "2026-07-28"), {
    era: "2026-07-28",
    flags: [],
  }));

Deno.test("S35 X5 X14 questions of tasks, of a cancelled command, without an answer, and of a client that disconnects, 2025-11-25", async (test) => {
  const [cancelled, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const never = Promise.withResolvers<ElicitResult>();
  const unanswered = (shown: PromiseWithResolvers<void>) => {
    shown.resolve();
    return never.promise;
  };
  let times = 0;
  const answer: Answer = (message) => {
    if (message.includes(" to four.")) return new Promise<ElicitResult>(() => {});
    if (message.includes(" to five.")) return unanswered(left);
    if (message.includes(" to three.") && times++ === 0) return unanswered(cancelled);
    return choosing("this session")(message);
  };
  await withAsking(answer, async (asking) => {
    await test.step("a call that its client takes as a task asks its client while it works, and an operation in the background later", () =>
      provesTask(asking, "2025-11-25"));
    await test.step("a cancelled command takes its question back, which is no refusal", () =>
      provesCancelled(asking, cancelled.promise));
    await test.step("silence until the connection ends is a no: its host is not asked for again", () =>
      provesSilence(asking));
    await test.step("a client that disconnects during a question leaves nothing behind", () =>
      provesLeft(asking, left.promise, () => never.resolve({ action: "cancel" })));
  }, { flags: [] });
});

/** Begins to connect in the background; gives the operation's id. */
async function beginTo({ client, port }: Asking, host: string): Promise<string | undefined> {
  const begun = await client.callTool({
    name: "sandboxed_shell",
    arguments: { command: `python3 client.py ${host}.example.test:${port}`, execution_mode: "AsyncResultPush" },
  });
  return /(op_\w+)/.exec(JSON.stringify(begun.content))?.[1];
}

async function provesCancelled(asking: Asking, shown: Promise<void>): Promise<void> {
  const { client, connect, forms } = asking;
  const before = forms.length;
  const id = await beginTo(asking, "three");
  await withDeadline(shown, DEADLINE, "the question");
  await client.callTool({ name: "cancel", arguments: { operation_id: id } });
  assert.match(await connect("three"), GREETED);
  assert.equal(forms.length, before + 2);
}

async function provesSilence(asking: Asking): Promise<void> {
  const { client, connect, forms } = asking;
  const before = forms.length;
  const id = await beginTo(asking, "four");
  const options = { timeout: SILENCE_DEADLINE };
  let text = "still runs";
  while (text.includes("still runs")) {
    const { content } = await client.callTool({ name: "await", arguments: { operation_id: id } }, options);
    text = JSON.stringify(content);
  }
  assert.match(text, /was asked for, and no person allowed it\. A person can allow it: start the server/);
  assert.match(await connect("four"), /^gaierror\nSandbox: "four\.example\.test" was asked for, and no person/);
  assert.equal(forms.length, before + 1);
}

async function provesLeft({ client, server, connect }: Asking, shown: Promise<void>, end: () => void): Promise<void> {
  const asking = connect("five").catch(() => undefined);
  await withDeadline(shown, DEADLINE, "the question");
  await server.closeInput();
  assert.equal((await server.exit()).code, 0);
  end();
  await client.close();
  await asking;
}
