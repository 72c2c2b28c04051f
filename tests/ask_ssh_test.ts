/** A person is asked for the first login at a host with a key of the ssh agent (S42, S35). */
import assert from "node:assert/strict";
import type { Client, ElicitResult } from "@modelcontextprotocol/client";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { until, withDeadline } from "./_support/deadline.ts";
import { ServerProcess } from "./_support/server_process.ts";
import {
  runAs,
  type SshMachine,
  sshProblem,
  type Started,
  startSshMachine,
  withMachines,
} from "./_support/servers/ssh_machine.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists } from "./_support/workbench.ts";

const DEADLINE_MS = 20_000;
const ignore = sshProblem();
const skipped = ignore === undefined ? "" : ` (skipped: ${ignore})`;
const UNLISTED = "gets no signatures of your ssh agent: it is not on the list of --ssh-hosts";
const REFUSED = "gets no signatures of your ssh agent: it was refused by the person who was asked.";

interface Asked extends Started {
  readonly server: ServerProcess;
  readonly client: Client;
  /** The messages of the forms, in order. */
  readonly forms: readonly string[];
  /** The text of a result, without what is said while a person is asked. */
  shell(command: string): Promise<string>;
  /** Logs in at a host and has it echo. */
  login(host: SshMachine | undefined): Promise<string>;
}

/** A server that asks for logins, and a client whose person answers; without `answer` it shows no forms. */
async function withAsked(
  started: Started,
  answer: ((message: string) => ElicitResult | Promise<ElicitResult>) | undefined,
  run: (asked: Asked) => Promise<void>,
  flags: readonly string[] = [],
): Promise<void> {
  const { bench, environment } = started;
  const all = ["--sync", "--ssh-agent", "chosen of me", "--ask", "ssh", ...flags];
  await using server = await ServerProcess.start(bench, { flags: all, environment, era: "none" });
  const forms: string[] = [];
  const client = await connectClient(server, "2025-11-25", {
    capabilities: answer === undefined ? {} : { elicitation: {} },
    ...answer !== undefined && {
      onElicit: (params) => {
        forms.push(String(params["message"]));
        return answer(String(params["message"]));
      },
    },
  });
  const shell = async (command: string) => {
    const { content } = await client.callTool({ name: "sandboxed_shell", arguments: { command } });
    const text = content.map((part) => part.type === "text" ? part.text : part.type).join("\n");
    return text.replaceAll(/^\[a person is asked: .*\?\]\n/gm, "");
  };
  const login = (host: SshMachine | undefined) => shell(loginAt(host));
  await run({ ...started, server, client, forms, shell, login });
  await client.close();
}

function loginAt(host: SshMachine | undefined): string {
  return `$GIT_SSH_COMMAND -o LogLevel=ERROR -p ${host?.port} root@127.0.0.1 'echo $((6 * 7))'`;
}

function choosing(text: string): ElicitResult {
  return { action: "accept", content: { answer: text } };
}

/** As ssh-keygen prints it. */
async function fingerprint(file: string | undefined): Promise<string> {
  const args = ["-l", "-f", `${file}.pub`];
  const { stdout } = await new Deno.Command("ssh-keygen", { args, stdin: "null" }).output();
  return new TextDecoder().decode(stdout).split(" ")[1] ?? "";
}

Deno.test({
  name: `S42 S35 the first login at a host is asked for with what is proved, and each answer holds${skipped}`,
  ignore: ignore !== undefined,
  fn: () => withMachines("root", ["ed25519", "ecdsa"], provesAnswers),
});

Deno.test({
  name: `S42 S35 S36 hashed names are found, and what becomes of questions without an answer or a form${skipped}`,
  ignore: ignore !== undefined,
  fn: (test) =>
    withMachines("ordinary", ["ed25519"], async (started) => {
      await runAs(started.bench, ["ssh-keygen", "-q", "-H", "-f", `${started.bench.home}/.ssh/known_hosts`]);
      await provesUnanswered(started, test);
      await test.step("a terminal allows logins always, in that project, until they are taken back", () =>
        provesTerminal(started));
    }),
});

async function provesAnswers(started: Started): Promise<void> {
  const { bench, keys: [key], hosts: [here, there] } = started;
  const audit = `${bench.home}/audit.log`;
  const answers = ["this time", "this session", "no"];
  const next = () => choosing(answers.shift() ?? assert.fail("it is asked again"));
  const [hereKey, thereKey, ownKey] = await Promise.all([here?.keyFile, there?.keyFile, key].map(fingerprint));
  await withAsked(started, next, async ({ forms, shell, login }) => {
    // This time: for the whole command, and no other.
    assert.match(await shell(`: 'me@other.test'; ${loginAt(here)}; ${loginAt(here)}`), /^42\n42\n/);
    assert.strictEqual(forms.length, 1);
    assert.ok(
      forms[0]?.startsWith("`: 'me@other.test'; $GIT_SSH_COMMAND -o LogLevel=ERROR") &&
        forms[0].includes(
          `\` wants to log in as root at 127.0.0.1:${here?.port}, which proved host key ${hereKey}, with your ssh key ` +
            `"chosen of me" (${ownKey}) (tool sandboxed_shell, operation op_`,
        ),
      forms[0],
    );
    assert.match(await login(here), /^42\n/);
    assert.match(await login(here), /^42\n/);
    assert.strictEqual(forms.length, 2);
    // Another host is another question. A no is final, and names no flag.
    for (let times = 0; times < 2; times++) {
      assert.ok((await login(there)).includes(`\nSandbox: "127.0.0.1:${there?.port}" ${REFUSED}`));
    }
    assert.deepStrictEqual([forms.length, answers.length], [3, 0]);
    assert.match(await login(here), /^42\n/);
  }, ["--audit-log", audit]);
  const lines = (await Deno.readTextFile(audit)).trim().split("\n").map((line) => JSON.parse(line));
  const told = lines.filter(({ event }) => ["question", "answer", "grant_used", "signature"].includes(event))
    .map(({ event, answer, host_key, key, user, host }) => [event, answer, host_key, key, user, host]);
  const place = `127.0.0.1:${here?.port}`;
  const about = (event: string, answer?: string, hostKey = hereKey) => [
    ...[event, answer, hostKey, ownKey, "root", undefined],
  ];
  const signed = ["signature", undefined, undefined, ownKey, "root", place];
  assert.deepStrictEqual(told, [
    ...[about("question"), about("answer", "once"), about("grant_used"), signed, signed],
    ...[about("question"), about("answer", "session"), about("grant_used"), signed],
    ...[about("grant_used"), signed],
    ...[about("question", undefined, thereKey), about("answer", "no", thereKey)],
    ...[about("grant_used"), signed],
  ]);
}

/** The person answers "this time", except to a question that a step leaves open. */
async function provesUnanswered(started: Started, test: Deno.TestContext): Promise<void> {
  let next: Unanswered | undefined;
  const answer = () => {
    if (next === undefined) return choosing("this time");
    const { shown, given } = next;
    next = undefined;
    shown.resolve();
    return given.promise;
  };
  const leaveNext = () => next = { shown: Promise.withResolvers<void>(), given: Promise.withResolvers<ElicitResult>() };
  await withAsked(started, answer, async (asked) => {
    await test.step("hosts that are not known are not asked for", () => provesNames(asked));
    await test.step("programs that are gone get nothing", () => provesGone(asked, leaveNext()));
    await test.step("a client can go away while its person is asked", () => provesLeft(asked, leaveNext()));
  });
}

/** A question that has been shown, and its answer that comes late. */
interface Unanswered {
  readonly shown: PromiseWithResolvers<void>;
  readonly given: PromiseWithResolvers<ElicitResult>;
}

async function provesNames({ bench, keys, hosts: [host], forms, shell, login }: Asked): Promise<void> {
  await using stranger = await startSshMachine(bench, keys);
  assert.match(await login(host), /^42\n/);
  assert.ok(forms[0]?.includes(` at 127.0.0.1:${host?.port}, which proved host key SHA256:`), forms[0]);
  // A line that does not say the name, and one that says another.
  bench.write("elsewhere.sh", `exec ${loginAt(host)}\n`);
  assert.match(await shell(": ssh -p 22 git@other.example.test; sh elsewhere.sh"), /^42\n/);
  assert.ok(forms[1]?.includes(" at a host whose name your known_hosts hide, which proved host key SHA256:"), forms[1]);
  assert.match(await login(stranger), /and your known_hosts do not have it: log in there once outside the sandbox\./);
  assert.strictEqual(forms.length, 2);
}

async function provesGone(asked: Asked, { shown, given }: Unanswered): Promise<void> {
  const { bench, hosts: [host], forms, shell, login } = asked;
  const before = forms.length;
  // The program that asks is killed, its command goes on: no answer counts for it.
  const leaving = shell(
    `${loginAt(host)} & mkfifo go on; touch ready; read -r _ < go; kill $!; wait; touch gone; read -r _ < on`,
  );
  await withDeadline(shown.promise, DEADLINE_MS, "the question");
  await bench.appears("ready");
  await Deno.writeTextFile(`${bench.scope}/go`, "\n");
  await bench.appears("gone");
  const waiting = async () => (await runProgram(bench, ["grants"])).stdout;
  await until(async () => !(await waiting()).includes("q_"), DEADLINE_MS, "the end of the question");
  given.resolve(choosing("this session"));
  await Deno.writeTextFile(`${bench.scope}/on`, "\n");
  await leaving;
  assert.match(await login(host), /^42\n/);
  assert.strictEqual(forms.length, before + 2);
  assert.ok(!exists(`${bench.home}/.local/state/ahma/grants/grants.json`));
}

async function provesLeft(asked: Asked, { shown, given }: Unanswered): Promise<void> {
  const { server, client, login, hosts: [host] } = asked;
  const asking = login(host).catch(() => undefined);
  await withDeadline(shown.promise, DEADLINE_MS, "the question");
  await server.closeInput();
  assert.strictEqual((await server.exit()).code, 0);
  given.resolve({ action: "cancel" });
  await client.close();
  await asking;
}

// The control, a server that asks for nothing, is in ssh_agent_test.ts.
async function provesTerminal(started: Started): Promise<void> {
  const { bench, hosts: [host] } = started;
  const grants = (...words: readonly string[]) => runProgram(bench, ["grants", ...words]);
  await withAsked(started, undefined, async ({ login }) => {
    const denied = await login(host);
    const [, id = ""] = /A person can allow it: run `ahma_mcp grants allow (q_\w+)`, or start/.exec(denied) ?? [denied];
    assert.ok(denied.includes(`\nSandbox: "127.0.0.1:${host?.port}" ${UNLISTED}. A person can allow it`), denied);
    const listed = (await grants()).stdout;
    assert.match(
      listed,
      new RegExp(`^${id}  .* wants to log in as root at 127\\.0\\.0\\.1:${host?.port}, which proved`, "m"),
    );
    const allowed = await grants("allow", id, "project");
    assert.deepStrictEqual([allowed.code, allowed.stdout.split(":")[0]], [0, "Allowed (always for this project)"]);
    assert.match(await login(host), /^42\n/);
  });
  await withAsked(started, undefined, async ({ login, client }) => {
    assert.match(await login(host), /^42\n/);
    const status = JSON.stringify(await client.callTool({ name: "status", arguments: {} }));
    const [kept = assert.fail(status)] = /g_\w+/.exec(status) ?? [];
    assert.ok(status.includes(`log in as root at 127.0.0.1:${host?.port}, which proved`), status);
    assert.strictEqual((await grants("revoke", kept)).code, 0);
    assert.match(await login(host), /grants allow q_\w+`/);
  });
}
