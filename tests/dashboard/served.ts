/** What the server of the dashboard tells its page and does for it, and that all others get nothing (V2, V3). */
import assert from "node:assert/strict";
import { withDeadline } from "../_support/deadline.ts";
import { ServerProcess } from "../_support/server_process.ts";
import { sharing } from "../_support/sharing.ts";
import { exists, usersAtHand, Workbench } from "../_support/workbench.ts";
import { type DashboardEvent, DashboardProcess } from "./dashboard_process.ts";

interface Seen {
  readonly key: string;
  readonly pid: number;
  readonly operations: readonly { readonly id: string; readonly tool: string; readonly state: string }[];
}

/** Reads events until one of them shows what is looked for. */
async function seen<Value>(
  events: AsyncGenerator<DashboardEvent>,
  look: (event: DashboardEvent) => Value | undefined | false,
): Promise<Value> {
  for (let before = "nothing";;) {
    const { value, done } = await withDeadline(events.next(), 2_000, `an event behind ${before}`);
    if (done === true) return assert.fail("The events ended");
    const found = look(value);
    if (found !== undefined && found !== false) return found;
    before = JSON.stringify(value);
  }
}

function serversIn({ servers }: DashboardEvent): readonly Seen[] {
  return servers as readonly Seen[] | undefined ?? [];
}

/** Reads output until exactly this was written. */
async function written(output: AsyncGenerator<DashboardEvent>, wanted: string): Promise<void> {
  let text = "";
  await seen(output, (event) => {
    if (event["event"] === "earlier" || event["event"] === "output") text += textOf(event);
    assert.ok(wanted.startsWith(text), text);
    return text === wanted;
  });
}

function textOf({ data }: DashboardEvent): string {
  return new TextDecoder().decode(Uint8Array.fromBase64(String(data)));
}

const [USER = "root"] = usersAtHand();

/** A server, and the page of its user. */
const test = sharing(async (bench) => {
  await using stack = new AsyncDisposableStack();
  const flags = ["--undo", "--network", "full", "--audit-log", `${bench.elsewhere}/audit.jsonl`];
  const server = stack.use(await ServerProcess.start(bench, { flags }));
  const page = stack.use(await DashboardProcess.start(bench));
  const all = stack.move();
  return { server, page, [Symbol.asyncDispose]: () => all.disposeAsync() };
}, USER);

test("V2 the page is told what servers run as it changes, reads output, types, ends operations, and sees a server die", async ({ bench, server: { server: one, page } }) => {
  const two = await ServerProcess.start(bench);
  const events = page.events("/api/events");
  const servers = await seen(events, (event) => serversIn(event).length === 2 && serversIn(event));
  const keyOf = ({ pid }: ServerProcess) => servers.find((server) => server.pid === pid)?.key ?? assert.fail();
  const running = await one.start("echo begun; read line; echo got $line; sleep 303 & wait", { input: true });
  const operation = /\bop_\w+/.exec(running.text)?.[0] ?? assert.fail(running.text);
  const told = await seen(
    events,
    ({ operations }) =>
      (operations as readonly { readonly id: string; readonly input?: string; readonly server: string }[] | undefined)
        ?.find(({ id, input }) => id === operation && input !== undefined),
  );
  assert.deepStrictEqual([told.server, told.input], [keyOf(one), "pipe"]);
  const output = page.events(`/api/output?server=${keyOf(one)}&operation=${operation}`);
  const stream = await seen(output, (event) => event["stream"]);
  await written(output, "begun\n");
  const given = await page.act({ action: "input", stream, data: btoa("hello\n") });
  assert.deepStrictEqual([given.status, given.text], [200, '{"done":"Given"}']);
  await written(output, "got hello\n");
  await bench.processesAppear("sleep 303");
  const ended = await page.act({ action: "kill", server: keyOf(one), operation });
  assert.match(ended.text, new RegExp(`^\\{"done":"\\[${operation} cancelled, .*Ended by the user`));
  await bench.processesGone("sleep 303");
  await seen(output, (event) => event["event"] === "end");
  const again = await page.act({ action: "kill", server: keyOf(one), operation });
  assert.deepStrictEqual([again.status, /"problem":"It has ended/.test(again.text)], [400, true]);
  const history = JSON.parse((await page.ask("/api/history?since=1h")).text);
  assert.deepStrictEqual([history.killed, history.ran[0]?.tool], [1, "sandboxed_shell"]);
  two.kill("SIGKILL");
  await seen(events, (event) => serversIn(event).length === 1);
  const gone = await page.act({ action: "kill", server: keyOf(two), operation });
  assert.deepStrictEqual([gone.status, gone.text], [400, '{"problem":"That server has ended"}']);
  await two.exit();
});

test("V3 without the token there is nothing, not even for a command that reaches the loopback, and no other user sees a server", async ({ bench, server: { server, page } }) => {
  using other = new Workbench(usersAtHand().at(-1) ?? "root");
  const events = page.events("/api/events");
  const [{ key } = assert.fail()] = await seen(events, (event) => serversIn(event).length === 1 && serversIn(event));
  const { address, token } = page;
  const policy = await fetch(address);
  assert.match(policy.headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'sha256-[^']+'; /);
  const html = await policy.text();
  assert.ok(!html.includes(token) && !html.includes(bench.scope), "the page has no data");
  const curl = (words: string) => server.shell(`curl -sS -m 20 -o - -w ' %{http_code}' ${words}`);
  const reached = await curl(`-H 'Authorization: Bearer ${token}' ${address}/api/events -m 2 | head -c 200; true`);
  assert.match(reached.text, /"kind":"state"/, "the control: with the token a command would be told");
  const tries = [
    `${address}/api/events`,
    `-H 'Authorization: Bearer ${token.slice(0, -1)}' ${address}/api/events`,
    `-H 'Authorization: Bearer ' ${address}/api/output?server=${key}`,
    `-H 'Cookie: token=${token}' ${address}/api/history?token=${token}`,
    `-H 'Ahma-Action: 1' -H 'Content-Type: application/json' -d '{"action":"kill"}' ${address}/api/action`,
  ];
  for (const words of tries) assert.match((await curl(words)).text, / 401\b/, words);
  for (const words of [`-H 'Host: evil.example'`, `-H 'Host: evil.example' -H 'Authorization: Bearer ${token}'`]) {
    assert.match((await curl(`${words} ${address}/`)).text, / 403\b/, words);
  }
  // The token stands nowhere that a command can read.
  const found = await server.shell(
    `grep -rlsF ${token} /proc/[0-9]*/cmdline /proc/[0-9]*/environ ~ /tmp "$HOME"; true`,
  );
  assert.ok(!/proc|token|html/.test(found.text.replace(/.*grep.*/g, "")), found.text);
  const crossSite = await page.act({ action: "kill", server: key, operation: "op_1" }, {
    origin: "http://evil.example",
  });
  assert.strictEqual(crossSite.status, 403);
  const plain = await page.act({ action: "kill", server: key, operation: "op_1" }, { "ahma-action": "" });
  assert.strictEqual(plain.status, 403);
  const long = await page.act({ action: "kill", server: key, operation: "x".repeat(70_000) });
  assert.deepStrictEqual([long.status, long.text], [400, '{"problem":"The action is longer than 65536 bytes"}']);
  await using foreign = await DashboardProcess.start(other);
  const empty = await seen(foreign.events("/api/events"), (event) => event["kind"] === "state" && serversIn(event));
  if (other.user !== bench.user) assert.deepStrictEqual(empty, []);
  assert.strictEqual(
    (await foreign.act({ action: "kill", server: key, operation: "op_1" })).text,
    '{"problem":"That server has ended"}',
  );
});

// The last one: the page is ended.
test("V2 the page shows a terminal as its screen, and takes back what an operation changed", async ({ bench, server: { server, page } }) => {
  const events = page.events("/api/events");
  const [{ key } = assert.fail()] = await seen(events, (event) => serversIn(event).length === 1 && serversIn(event));
  bench.write("kept.txt", "as it was\n");
  const { text } = await server.shell("echo other > kept.txt; echo new > new.txt");
  const changed = /\bop_\w+/.exec(text)?.[0] ?? assert.fail(text);
  const shown = JSON.parse((await page.ask(`/api/changes?server=${key}&operation=${changed}`)).text);
  assert.strictEqual(shown.operation, changed);
  const undone = await page.act({ action: "undo", server: key, operation: changed });
  assert.strictEqual(undone.status, 200, undone.text);
  assert.strictEqual(await Deno.readTextFile(`${bench.scope}/kept.txt`), "as it was\n");
  assert.ok(!exists(`${bench.scope}/new.txt`));
  const started = await server.start(
    "printf '\\033[1;32mname?\\033[0m '; read name; clear; echo hello $name; sleep 304",
    {
      tty: true,
    },
  );
  const operation = /\bop_\w+/.exec(started.text)?.[0] ?? assert.fail(started.text);
  await seen(
    events,
    ({ operations }) =>
      (operations as readonly { readonly id: string; readonly terminal?: true }[] | undefined)
        ?.some(({ id, terminal }) => id === operation && terminal === true),
  );
  const output = page.events(`/api/output?server=${key}&operation=${operation}&columns=40&rows=5`);
  const stream = await seen(output, (event) => event["stream"]);
  const prompt = await seen(output, ({ rows }) => (rows as readonly (readonly object[])[] | undefined)?.[0]?.[0]);
  assert.deepStrictEqual(prompt, { fg: 2, bold: true, text: "name?" });
  await page.act({ action: "input", stream, data: btoa("world\r") });
  const first = (event: DashboardEvent) =>
    (event["rows"] as readonly (readonly { readonly text: string }[])[] | undefined)?.[0];
  await seen(output, (event) => first(event)?.[0]?.text === "hello world");
  assert.strictEqual(await page.interrupt(), 0);
  // It went on without the page.
  assert.ok((await server.call("status", { operation_id: operation })).text.includes("hello world"));
});
