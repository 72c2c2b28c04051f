/** The ssh agent of commands (S42): logins at named hosts and signatures of git, with no key in reach. */
import assert from "node:assert/strict";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { makeKey, runAs, sshProblem, type Started, UserAgent, withMachines } from "./_support/servers/ssh_machine.ts";
import { runProgram } from "./_support/terminal.ts";
import { usersAtHand, Workbench } from "./_support/workbench.ts";

const ignore = sshProblem();
const skipped = ignore === undefined ? "" : ` (skipped: ${ignore})`;
const DENIED =
  /sign_and_send_pubkey: signing failed[^]*\nSandbox: "127\.0\.0\.1:(\d+)" gets no signatures of your ssh agent: it is not on the list of --ssh-hosts\. A person can allow it: start the server with --ssh-hosts 127\.0\.0\.1:\1\./;
const UPLOAD = "-u 'git -c safe.directory=* upload-pack'";
const RECEIVE = "--receive-pack='git -c safe.directory=* receive-pack'";
const WORK = "cd work && echo 42 > file && git add file && git commit -q -S -m signed && " +
  `git push -q ${RECEIVE} origin HEAD:main && git rev-parse HEAD`;

// Sessions over HTTP and ask_ssh_test.ts log in as root.
Deno.test({
  name:
    `S42 S40 H3 git clones, signs and pushes over ssh with a key that commands cannot read, also over HTTP and in each way, and hosts of every kind of key get logins${skipped}`,
  ignore: ignore !== undefined,
  fn: (test) =>
    withMachines(
      "ordinary",
      ["ed25519", "rsa -b 2048", "ecdsa -b 256", "ecdsa -b 384", "ecdsa -b 521"],
      async (started) => {
        await provesWays(started, test);
        await test.step("the control: without the flag", () => failsWithout(started));
        await test.step("S42 H3 over HTTP, in one sandbox with others", () =>
          worksOverHttp(started, { isolated: false }));
        await test.step("hosts of every kind, also with hashed names, and none gets a forwarded agent", () =>
          provesHosts(started));
      },
    ),
});

Deno.test({
  name: `S42 H3 commands log in over HTTP, in a session of its own${skipped}`,
  ignore: ignore !== undefined,
  fn: () =>
    withMachines(usersAtHand()[0] ?? "ordinary", ["ed25519"], (started) => worksOverHttp(started, { isolated: true })),
});

Deno.test("S42 without the agent, or a key of it, the start says what to do", async () => {
  using bench = new Workbench("ordinary");
  await using agent = await UserAgent.start(bench);
  const problemOf = async (flags: readonly string[], socket: string | undefined) => {
    const environment = socket === undefined ? {} : { SSH_AUTH_SOCK: socket };
    const { code, stderr } = await runProgram(bench, flags, { environment });
    return `${code} ${stderr}`;
  };
  const key = ["--ssh-agent", "chosen of me"];
  const other = await makeKey(bench, "other");
  await agent.add(other);
  await Deno.copyFile(`${other}.pub`, `${bench.scope}/other.pub`);
  for (
    const [flags, socket, expected] of [
      [key, undefined, /^1 .*Cannot use --ssh-agent: variable "SSH_AUTH_SOCK" is not set .* run ssh-add/],
      [
        key,
        `${bench.elsewhere}/none`,
        /^1 .*Cannot use --ssh-agent: no ssh agent answers at ".*none" .* run ssh-add/,
      ],
      [
        key,
        agent.socket,
        /^1 .*Cannot use key "chosen of me": your ssh agent does not have it .*`ssh-add -l`.* Run ssh-add/,
      ],
      [["--ssh-agent", `${bench.scope}/other.pub`], agent.socket, /^1 .*commands can change it there/],
    ] as const
  ) assert.match(await problemOf(flags, socket), expected);
});

/** Python that says what the agent makes of endless clients: each line is a number. */
const ENDLESS = `import os, socket, struct
def connected():
  peer = socket.socket(socket.AF_UNIX)
  peer.connect(os.environ["SSH_AUTH_SOCK"])
  peer.settimeout(30)
  return peer
def s(part): return struct.pack(">I", len(part)) + part
def answer(peer, message):
  try:
    peer.sendall(message)
    head = peer.recv(4, socket.MSG_WAITALL)
    return peer.recv(struct.unpack(">I", head)[0], socket.MSG_WAITALL) if len(head) == 4 else b""
  except (BrokenPipeError, ConnectionResetError): return b""
print("long", len(answer(connected(), b"\\xff\\xff\\xff\\xff" + b"x" * 9000)))
print("empty", len(answer(connected(), b"\\0\\0\\0\\0")))
peer, count = connected(), 0
while count < 5000 and len(answer(peer, s(b"\\x0b"))) > 0: count += 1
print("messages", count)
peers = [connected() for _ in range(40)]
answer(peers[-1], s(b"\\x0b")) # all are accepted by then
print("connections", sum(len(answer(one, s(b"\\x0b"))) > 0 for one in peers))
key = answer(connected(), s(b"\\x0b"))[5:]
key = key[4:4 + struct.unpack(">I", key[:4])[0]]
file = b"SSHSIG" + s(b"git") + s(b"") + s(b"sha512") + s(b"h" * 64)
print("signatures", sum(answer(connected(), s(b"\\x0d" + s(key) + s(file) + b"\\0" * 4))[:1] == b"\\x0e" for _ in range(130)))
`;

Deno.test("S42 endless messages, clients and signatures have bounds, and the next command is answered", async () => {
  using bench = new Workbench("ordinary");
  await using agent = await UserAgent.start(bench);
  await agent.add(await makeKey(bench, "chosen"));
  bench.write("endless.py", ENDLESS);
  const flags = ["--sync", "--ssh-agent", "chosen of me"];
  await using server = await ServerProcess.start(bench, { flags, environment: { SSH_AUTH_SOCK: agent.socket } });
  const { text } = await server.shell("/usr/bin/python3 -I endless.py", { timeout_seconds: 120 });
  const expected =
    "long 0\nempty 0\nmessages 1000\nconnections 8\nsignatures 120\nSandbox: Commands get no more than 120 " +
    "signatures of your ssh agent in a minute.";
  assert.strictEqual(text.slice(0, expected.length), expected);
  assert.match((await server.shell("ssh-add -L")).text, /^ssh-ed25519 \S+ chosen of me\n/);
});

async function provesWays(started: Started, test: Deno.TestContext): Promise<void> {
  const { bench, environment } = started;
  bench.write(`${bench.home}/.gitconfig`, "[user]\n name = Me\n email = me@example.test\n[gpg]\n format = ssh\n");
  const flags = [...flagsFor(started), "--preview", "--audit-log", auditOf(bench)];
  await using server = await ServerProcess.start(bench, { flags, environment });
  await test.step("git", () => provesGit(started, server));
  await test.step("as a preview, in a named shell, in the background and at a terminal", () =>
    worksEverywhere(started, server));
}

function auditOf({ home }: Workbench): string {
  return `${home}/audit.log`;
}

async function provesGit(
  { bench, keys: [key], hosts, environment }: Started,
  server: ServerProcess,
): Promise<void> {
  const [here, there] = hosts.map(({ port }) => port);
  const repository = `${bench.elsewhere}/there.git`;
  await runAs(bench, ["git", "init", "-q", "--bare", "-b", "main", repository]);
  const address = (port: number | undefined) => `ssh://root@127.0.0.1:${port}${repository}`;
  const clone = (port: number | undefined) => `rm -rf work; git clone -q ${UPLOAD} ${address(port)} work`;
  const { text: worked } = await server.shell(`${clone(here)} 2> said && ${WORK}`);
  const [, commit = ""] = /^([0-9a-f]{40})\n/.exec(worked) ?? [worked];
  const there_ = await runAs(bench, ["git", `--git-dir=${repository}`, "-c", "safe.directory=*", "rev-parse", "main"]);
  assert.strictEqual(there_.trim(), commit);
  // Git says whose signature it is, and the key is the one that was chosen.
  const [kind = "", text = ""] = (await Deno.readTextFile(`${key}.pub`)).split(" ");
  const signers = bench.write(`${bench.home}/signers`, `me@example.test ${kind} ${text}\n`);
  const verified = [
    "-c",
    "safe.directory=*",
    "-c",
    `gpg.ssh.allowedSignersFile=${signers}`,
    "log",
    "-1",
    "--format=%G? %GS",
  ];
  assert.strictEqual(await runAs(bench, ["git", `--git-dir=${repository}`, ...verified]), "G me@example.test\n");
  // The same key opens the other host; only its name is missing.
  assert.match((await server.shell(clone(there))).text, DENIED);
  const outside = [
    "ssh",
    "-o",
    `UserKnownHostsFile=${bench.home}/.ssh/known_hosts`,
    "-p",
    `${there}`,
    "root@127.0.0.1",
  ];
  assert.strictEqual(await runAs(bench, ["env", ...outside, "echo in"], environment), "in\n");
  const kept = await server.shell(
    "ssh-add -L; cat ~/.ssh/chosen; ssh-add -D; printf 'x\nx\n' | ssh-add -x; ssh-add -L | wc -l",
  );
  assert.match(
    kept.text,
    new RegExp(`^${kind} ${text.replaceAll("+", "\\+")} chosen of me\n[^]*No such file[^]*\n1\n`),
  );
  const { text: status } = await server.call("status");
  assert.ok(status.includes(`\nSsh agent: chosen of me for git's signatures, 127.0.0.1:${here}\n`), status);
  const print = (await runAs(bench, ["ssh-keygen", "-l", "-f", `${key}.pub`])).split(" ")[1];
  const lines = (await Deno.readTextFile(auditOf(bench))).split("\n").filter((line) =>
    line.includes('"event":"signature"')
  )
    .map((line) => JSON.parse(line)).map(({ key, for: what, host, user: name }) => [key, what, host, name]);
  const login = [print, "login", `127.0.0.1:${here}`, "root"];
  assert.deepEqual(lines, [login, [print, "git", undefined, undefined], login]);
}

/** The control: the same lines without the flag. */
async function failsWithout({ bench, hosts: [host], environment }: Started): Promise<void> {
  await using server = await ServerProcess.start(bench, { flags: ["--sync"], environment });
  const login = await server.shell(
    `ssh -o StrictHostKeyChecking=no -p ${host?.port} root@127.0.0.1 true; echo "[$SSH_AUTH_SOCK]"`,
  );
  assert.match(login.text, /Permission denied[^]*\n\[\]\n/);
  const commit = await server.shell(
    `mkdir own; cd own; git init -q; git -c gpg.format=ssh -c user.signingKey=${bench.home}/.ssh/chosen.pub commit -S --allow-empty -m x`,
  );
  assert.match(commit.text, /chosen\.pub[^]*failed to write commit object/);
}

async function provesHosts({ bench, hosts, environment }: Started): Promise<void> {
  await runAs(bench, ["ssh-keygen", "-q", "-H", "-f", `${bench.home}/.ssh/known_hosts`]);
  const names = hosts.map(({ port }) => `127.0.0.1:${port}`);
  const flags = ["--sync", "--ssh-agent", "chosen of me,other of me", "--ssh-hosts", names.join(",")];
  await using server = await ServerProcess.start(bench, { flags, environment });
  const ssh = (port: number, words: string) => `$GIT_SSH_COMMAND ${words.replace("HOST", `-p ${port} root@127.0.0.1`)}`;
  const other = "-o PubkeyAcceptedAlgorithms=rsa-sha2-256,rsa-sha2-512 HOST";
  for (const { port } of hosts) assert.match((await server.shell(ssh(port, "HOST echo $((6 * 7))"))).text, /^42\n/);
  const [{ port } = { port: 0 }] = hosts;
  assert.match((await server.shell(ssh(port, `${other} echo $((5 * 9))`))).text, /^45\n/);
  const forwarded = await server.shell(ssh(port, "-A HOST 'test -S $SSH_AUTH_SOCK && echo there; ssh-add -L 2>&1'"));
  assert.match(
    forwarded.text,
    /^there\nerror fetching identities: agent refused operation\nSandbox: The agent of commands is not forwarded/,
  );
}

/** Logs in, and counts the keys. The control, a server without the flags, is `failsWithout`. */
function line({ hosts: [host] }: Started): string {
  return `$GIT_SSH_COMMAND -o LogLevel=ERROR -p ${host?.port} root@127.0.0.1 'echo $((6 * 7))'; ssh-add -L | wc -l`;
}

const WORKS = /^42\n1\n/;

function flagsFor({ hosts: [host] }: Started): readonly string[] {
  return ["--sync", "--ssh-agent", "chosen of me", "--ssh-hosts", `127.0.0.1:${host?.port}`];
}

async function worksOverHttp(started: Started, { isolated }: { readonly isolated: boolean }): Promise<void> {
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
}

/** Without a key in the agent, a session that begins says so. */
async function saysWhatIsMissing({ bench, agent }: Started, server: HttpServerProcess): Promise<void> {
  await runAs(bench, ["ssh-add", "-q", "-D"], { SSH_AUTH_SOCK: agent.socket });
  await using client = await HttpClient.connect(server, { roots: [bench.scope] });
  await assert.rejects(
    client.shell("true"),
    /Cannot use key .*: your ssh agent does not have it \(it has no keys, or is locked\)\. Run ssh-add/,
  );
}

async function worksEverywhere(started: Started, server: ServerProcess): Promise<void> {
  const command = line(started);
  const preview = (await server.shell(`(${command}) > seen; cat seen`, { preview: true })).text;
  assert.match(preview, /^42\n1\n[^]*\nA seen\n/);
  assert.match((await server.shell(command, { session: "kept" })).text, WORKS);
  assert.match((await server.shell(`(${command}) & wait`)).text, WORKS);
  assert.match((await server.shell(command, { tty: true })).text, /^42\r?\n1\r?\n/);
}
