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
import { exists, usersAtHand } from "./_support/workbench.ts";

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

for (const user of usersAtHand()) {
  Deno.test({
    name:
      `S42 S35 the first login at a host is asked for with what is proved, and each answer holds, as ${user}${skipped}`,
    ignore: ignore !== undefined,
    fn: () => withMachines(user, ["ed25519", "ecdsa"], provesAnswers),
  });
}

Deno.test({
  name: `S42 S36 a terminal allows logins always, in that project, until they are taken back${skipped}`,
  ignore: ignore !== undefined,
  fn: () => withMachines("ordinary", ["ed25519"], provesTerminal),
});

Deno.test({
  name:
    `S42 S35 hashed names are found, hosts that are not known are not asked for, and programs that are gone get nothing${skipped}`,
  ignore: ignore !== undefined,
  fn: () =>
    withMachines("ordinary", ["ed25519"], async (started) => {
      await provesNames(started);
      await provesGone(started);
      await provesLeft(started);
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

async function provesTerminal(started: Started): Promise<void> {
  const { bench, hosts: [host] } = started;
  const grants = (...words: readonly string[]) => runProgram(bench, ["grants", ...words]);
  let kept = "";
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
    const { stdout } = await grants();
    kept = /^g_\w+/.exec(stdout)?.[0] ?? assert.fail(stdout);
  });
  await withAsked(started, undefined, async ({ login, client }) => {
    assert.match(await login(host), /^42\n/);
    const status = JSON.stringify(await client.callTool({ name: "status", arguments: {} }));
    assert.ok(
      status.includes(`log in as root at 127.0.0.1:${host?.port}, which proved`) && status.includes(kept),
      status,
    );
    assert.strictEqual((await grants("revoke", kept)).code, 0);
    assert.match(await login(host), /grants allow q_\w+`/);
  });
  // The control: nothing is asked without the kind.
  await using server = await ServerProcess.start(bench, {
    flags: ["--sync", "--ssh-agent", "chosen of me"],
    environment: started.environment,
  });
  const { text } = await server.shell(loginAt(host));
  assert.ok(text.includes(`${UNLISTED}. A person can allow it: start the server with --ssh-hosts 127`), text);
}

async function provesNames(started: Started): Promise<void> {
  const { bench, keys, hosts: [host] } = started;
  await runAs(bench, ["ssh-keygen", "-q", "-H", "-f", `${bench.home}/.ssh/known_hosts`]);
  await using stranger = await startSshMachine(bench, keys);
  const answer = () => choosing("this time");
  await withAsked(started, answer, async ({ forms, shell, login }) => {
    assert.match(await login(host), /^42\n/);
    assert.ok(forms[0]?.includes(` at 127.0.0.1:${host?.port}, which proved host key SHA256:`), forms[0]);
    // A line that does not say the name, and one that says another.
    bench.write("elsewhere.sh", `exec ${loginAt(host)}\n`);
    assert.match(await shell(": ssh -p 22 git@other.example.test; sh elsewhere.sh"), /^42\n/);
    assert.ok(
      forms[1]?.includes(" at a host whose name your known_hosts hide, which proved host key SHA256:"),
      forms[1],
    );
    assert.match(await login(stranger), /and your known_hosts do not have it: log in there once outside the sandbox\./);
    assert.strictEqual(forms.length, 2);
  });
}

async function provesGone(started: Started): Promise<void> {
  const { bench, hosts: [host] } = started;
  const shown = Promise.withResolvers<void>();
  const late = Promise.withResolvers<ElicitResult>();
  const answer = () => {
    shown.resolve();
    return forms() === 1 ? late.promise : choosing("this time");
  };
  let forms = () => 0;
  await withAsked(started, answer, async (asked) => {
    forms = () => asked.forms.length;
    // The program that asks is killed, its command goes on: no answer counts for it.
    const leaving = asked.shell(
      `${
        loginAt(host)
      } & until [ -e go ]; do sleep 0.02; done; kill $!; wait; touch gone; until [ -e on ]; do sleep 0.02; done`,
    );
    await withDeadline(shown.promise, DEADLINE_MS, "the question");
    bench.write("go", "");
    await bench.appears("gone");
    const waiting = async () => (await runProgram(bench, ["grants"])).stdout;
    await until(async () => !(await waiting()).includes("q_"), DEADLINE_MS, "the end of the question");
    late.resolve(choosing("this session"));
    bench.write("on", "");
    await leaving;
    assert.match(await asked.login(host), /^42\n/);
    assert.strictEqual(asked.forms.length, 2);
  });
  assert.ok(!exists(`${bench.home}/.local/state/ahma/grants/grants.json`));
}

/** A client that goes away while its person is asked. */
async function provesLeft(started: Started): Promise<void> {
  const shown = Promise.withResolvers<void>();
  const never = Promise.withResolvers<ElicitResult>();
  const answer = () => {
    shown.resolve();
    return never.promise;
  };
  await withAsked(started, answer, async ({ server, client, login, hosts: [host] }) => {
    const asking = login(host).catch(() => undefined);
    await withDeadline(shown.promise, DEADLINE_MS, "the question");
    await server.closeInput();
    assert.strictEqual((await server.exit()).code, 0);
    never.resolve({ action: "cancel" });
    await client.close();
    await asking;
  });
}

Deno.test("S42 S35 --ask ssh is refused without a key that commands may use", async () => {
  await withMachines(usersAtHand()[0] ?? "root", [], async ({ bench, environment }) => {
    const start = async (...flags: readonly string[]) => {
      const { code, stderr } = await runProgram(bench, flags, { environment });
      return `${code} ${stderr}`;
    };
    assert.match(await start("--ask", "ssh"), /^2 .*Cannot ask for ssh \(--ask\) without --ssh-agent KEY/);
    assert.match(await start("--ask", "ssh", "--ssh-agent", "other of him"), /^1 .*your ssh agent does not have it/);
  });
});
