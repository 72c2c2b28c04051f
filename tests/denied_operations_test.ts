/**
 * What a result says of the denials that are no matter of places: protected paths, the network, Unix sockets, system
 * calls. Real programs leave the traces; beside each stands a failure that looks alike and of which nothing is said.
 * And what a foreign client's model reads of denials: whatever the exit code, short, and with no advice that misleads.
 */
import assert from "node:assert/strict";
import { asUser } from "./attacks/means/as_user.ts";
import { HAS_COMPILER, NO_COMPILER } from "./_support/kernel/compiled.ts";
import type { ToolAnswer } from "./_support/json_rpc.ts";
import { missingPrograms } from "./_support/programs_at_hand.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

function deniedIn({ result }: ToolAnswer): readonly Readonly<Record<string, unknown>>[] {
  // The server's own format, compared whole below.
  const meta = result._meta as Readonly<Record<string, unknown>> | undefined;
  return (meta?.["ahma/sandbox_denied"] ?? []) as readonly Readonly<Record<string, unknown>>[];
}

async function saysNothing(server: ServerProcess, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const answer = await server.shell(line);
    assert.deepStrictEqual([line, answer.failed, deniedIn(answer)], [line, true, []], answer.text);
    assert.doesNotMatch(answer.text, /^Sandbox:/m);
  }
}

/** Their errors are the ones looked at; the one is where Node's user chose, which root's stand-in may not reach. */
const HAS_NODE = missingPrograms(["node", "curl"], "ordinary").length === 0;
const NO_NODE = HAS_NODE ? "" : " (ignored: node or curl is not installed for all)";
const UNRELATED = 'node -e "process.exit(7)"';

for (const user of usersAtHand()) {
  const testUsual = sharing(async (bench) => {
    // The user made it: what commands make is set aside instead.
    const line = "git init -q; mkdir -p libs/a; git init -q libs/a; touch .envrc .git/config.worktree";
    const [program = "", ...args] = asUser(user, ["sh", "-c", line]);
    assert.ok((await new Deno.Command(program, { args, cwd: bench.scope }).output()).success);
    return await ServerProcess.start(bench);
  }, user);

  testUsual(`S8 S15 a change of a protected path that failed is explained, as ${user}`, async ({ bench, server }) => {
    const denied = (path: string, opened: string) => ({
      path: `${bench.scope}/${path}`,
      access: ["write"],
      protected: true,
      scope: [bench.scope],
      flags: [`--allow-protected ${opened}`],
    });
    const rows: readonly (readonly [line: string, path: string, opened: string])[] = [
      ["echo x > .git/hooks/pre-commit", ".git/hooks/pre-commit", ".git/hooks"],
      ["LC_ALL=de_DE.UTF-8 touch .git/hooks/new", ".git/hooks/new", ".git/hooks"],
      ["echo x > .envrc", ".envrc", ".envrc"],
      // Only the output names these: the first by the file that git made beside it, the second by its error.
      ["git config --file .git/config.worktree user.name x", ".git/config.worktree", ".git/config.worktree"],
      [`D=hooks; python3 -c "open('.git/$D/x', 'w')"`, ".git/hooks/x", ".git/hooks"],
    ];
    for (const [line, path, opened] of rows) {
      const answer = await server.shell(line);
      assert.deepStrictEqual([line, deniedIn(answer)], [line, [denied(path, opened)]], answer.text);
      const said = `\nSandbox: "${bench.scope}/${path}" is protected, because programs outside the sandbox obey it; ` +
        "commands can read but not change it. A person can allow it: start the server with --allow-protected " +
        `${opened}.\n`;
      assert.ok(answer.text.includes(said), answer.text);
    }
    const removed = await server.shell("rm -rf .git/hooks");
    assert.deepStrictEqual(deniedIn(removed).map(({ flags }) => flags), [["--allow-protected .git/hooks"]]);
  });

  testUsual(
    `S8 S15 nothing is said of a protected path that a command reads, or just made, as ${user}`,
    async ({ bench, server }) => {
      await saysNothing(server, [
        "grep nothing .git/config",
        "cat .git/config .git/nothing",
        "git config no.such.key",
        "git status --no-such-option",
        // It was not protected while this ran.
        "mkdir .vscode; touch .vscode/a; cat .vscode/nothing",
      ]);
      await server.shell("git init -q broken");
      bench.write("broken/.git/config", "[core\n");
      const answer = await server.shell("git -C broken status"); // names the file, and did not try to change it
      assert.deepStrictEqual([answer.failed, deniedIn(answer)], [true, []]);
      assert.match(answer.text, /bad config line 1 in file/);
    },
  );

  testUsual(
    `S6 S15 nothing is said of a connection that fails where the network is open, as ${user}${NO_NODE}`,
    async ({ server }) => {
      await saysNothing(server, ["curl -sS http://127.0.0.1:1/", "curl -sS http://no-such-host.invalid/"]);
    },
    { ignore: !HAS_NODE },
  );

  testUsual(
    `S6 S15 a Unix socket that was not to be had is explained, as ${user}${NO_NODE}`,
    async ({ bench, server }) => {
      const path = `${bench.elsewhere}/docker.sock`;
      using _listener = await openSocket(path);
      const denied = (subject: string) => ({
        operation: "unix_socket",
        subject,
        reason: `"${subject}" is a Unix socket of another program; commands reach only those that they make themselves`,
        scope: [bench.scope],
        flags: ["--unix-sockets allow"],
      });
      assert.deepStrictEqual(deniedIn(await server.shell(reachSocket(path))), [denied(path)]);
      const inScope = `${bench.scope}/other.sock`;
      using _inScope = await openSocket(inScope);
      assert.deepStrictEqual(deniedIn(await server.shell(reachSocket(inScope))), [denied(inScope)]);
      await saysNothing(server, [UNRELATED, "node -e \"require('net').createServer().listen('/nowhere/own.sock')\""]);
    },
    { ignore: !HAS_NODE },
  );

  testUsual(
    `S8 S15 a program that needs what commands may not do is explained, as ${user}`,
    async ({ bench, server }) => {
      for (const [program, line] of Object.entries({ unshare: "unshare -r true", mount: "mount -t tmpfs x ." })) {
        const answer = await server.shell(line);
        assert.deepStrictEqual([line, deniedIn(answer)], [line, [{
          operation: "program",
          subject: program,
          reason: `"${program}" is not for commands, which may not change mounts and namespaces; a person can run it ` +
            "outside the sandbox",
          scope: [bench.scope],
          flags: [],
        }]], answer.text);
      }
      await saysNothing(server, ["echo unshare >&2; false", "cat mount"]);
    },
  );

  testUsual(
    `S8 S15 a program of another architecture is explained, as ${user}${NO_COMPILER}`,
    async ({ bench, server }) => {
      const program = 'int main(void) { __asm__ volatile("int $0x80" : : "a"(20)); return 0; }\n';
      await server.shell(`gcc -o other ${bench.write("other.c", program)}`);
      const denial = {
        operation: "system_call",
        subject: "SIGSYS",
        reason: "a program was ended by SIGSYS; so end programs of another architecture (32-bit ones) in the sandbox",
        scope: [bench.scope],
        flags: [],
      };
      for (const line of ["./other", "./other; exit $?", "exec ./other"]) {
        assert.deepStrictEqual([line, deniedIn(await server.shell(line))], [line, [denial]]);
      }
      await saysNothing(server, ["kill -TERM $$", "kill -KILL $$"]);
    },
    { ignore: !HAS_COMPILER || Deno.build.arch !== "x86_64" },
  );
}

const byAddress = "node -e \"require('net').connect(443, '192.0.2.1')\"";
const CLOSED = [
  {
    network: "none",
    more: [],
    reason: "commands have no network (--network none)",
    ways: {
      "example.test": [
        "curl -sS https://example.test/a",
        "git clone -q https://example.test/a",
        "git ls-remote https://u:secret@example.test/a",
        "D=example; node -e \"require('http').get('http://$D.test/')\"",
        "curl -sS example.test",
        "git init -q r && git -C r remote add origin https://example.test/a && git -C r fetch",
        "python3 -c \"import urllib.request as web; web.urlopen('https://example.test')\"",
        'echo "dial tcp: lookup example.test on 192.0.2.53:53: socket: permission denied"; false', // Go
        'echo "url (https://example.test/a): failed to lookup address information: x"; false', // Rust
        'echo "error connecting to example.test"; false', // gh
      ],
      "192.0.2.1": [byAddress],
    },
  },
  {
    network: "localhost",
    more: ["--unix-sockets", "allow"],
    reason: "commands reach nothing but their own loopback (--network localhost)",
    ways: { "192.0.2.1": [byAddress, "curl -sS http://192.0.2.1/"] },
  },
];

// What is said depends on no right of the user.
for (const [{ network, more, reason, ways }, user] of withUsersInTurn(CLOSED)) {
  Deno.test({
    name: `S6 S15 a connection that --network ${network} closes is explained, as ${user}${NO_NODE}`,
    ignore: !HAS_NODE,
    fn: async () => {
      using bench = new Workbench(user);
      await using server = await ServerProcess.start(bench, { flags: ["--network", network, ...more] });
      for (const [host, lines] of Object.entries(ways)) {
        for (const line of lines) {
          const answer = await server.shell(line);
          assert.deepStrictEqual([line, deniedIn(answer)], [line, [{
            operation: "network",
            subject: host,
            reason: `"${host}" cannot be reached: ${reason}`,
            scope: [bench.scope],
            flags: ["--network full"],
          }]], answer.text);
          const said =
            `\nSandbox: "${host}" cannot be reached: ${reason}. A person can allow it: start the server with ` +
            "--network full.\n";
          assert.ok(answer.text.includes(said), answer.text);
        }
      }
      const unnamed = await server.shell("echo 'connection broken: [Errno -2] x'; false"); // pip
      assert.match(unnamed.text, /^Sandbox: hosts cannot be reached: /m);
      await saysNothing(server, [
        "grep -c https://example.test/a inside; false",
        "S=https; echo see $S://example.test/docs; false", // only the output names it, beside no error
        "curl -sS file:///no/such/file",
        UNRELATED,
      ]);
      if (network === "none") return;
      await saysNothing(server, ["curl -sS http://localhost:1/", "curl -sS http://127.0.0.1:1/"]);
      const path = `${bench.elsewhere}/docker.sock`;
      using _listener = await openSocket(path);
      await saysNothing(server, [`ls ${path} && ${reachSocket(path)} -m 0.2`]);
    },
  });
}

/** A socket outside the scope that each user may reach. */
async function openSocket(path: string): Promise<Deno.Listener> {
  const listener = Deno.listen({ transport: "unix", path });
  await Deno.chmod(path, 0o777);
  return listener;
}

function reachSocket(path: string): string {
  return `curl -sS --unix-socket ${path} http://x/`;
}

const PYTHON_SOCKET = `import socket
try:
    socket.socket(socket.AF_UNIX).bind("s")
finally:
    print("cleaned up")
`;

/** What programs say that are not on every machine; where they are, they say it themselves. */
const RECORDED = {
  docker: ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"],
  gdb: ["warning: Could not trace the inferior process.", "warning: ptrace: Operation not permitted"],
  go: ["go: writing go env config: open $GOENV: read-only file system"],
  nossh: ["Host key verification failed."],
  strace: ["strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted"],
};

/** Makes stand-ins that come last on PATH. */
function writePrograms(bench: Workbench): string {
  for (const [name, lines] of Object.entries(RECORDED)) {
    const says = lines.map((line) => `echo "${line}" >&2\n`).join("");
    Deno.chmodSync(
      bench.write(`programs/${name}`, `#!/bin/sh\ncase "$*" in *version*) exit ;; esac\n${says}exit 1\n`),
      0o755,
    );
  }
  return `PATH=$PATH:${bench.scope}/programs`;
}

Deno.test("S15 X17 a client reads each denial, and what ended with its command, in a line", async () => {
  using bench = new Workbench("ordinary");
  bench.write(`${bench.home}/.ssh/id_rsa`, "key");
  bench.write(`${bench.home}/notes`, "text");
  bench.write(`${bench.home}/file`, "text");
  bench.write(`${bench.elsewhere}/lib/Cargo.toml`, "text");
  bench.write(`${bench.home}/.tools/bin/x`, "text");
  bench.write("listen.py", PYTHON_SOCKET);
  await using server = await ServerProcess.start(bench, { era: "none" });
  const client = await connectClient(server, "2025-11-25");
  const lines = async (command: string) => {
    const { content } = await client.callTool({
      name: "sandboxed_shell",
      arguments: { command, execution_mode: "Synchronous" },
    });
    const text = content.map((block) => block.type === "text" ? block.text : "").join("\n");
    return text.split("\n");
  };
  const hints = async (command: string) =>
    (await lines(command)).filter((line) => line.startsWith("Sandbox: ")).map((line) => line.slice(9));
  await hints("git init -q");
  const { home, scope, parent } = bench;
  const key = [`"${home}/.ssh/id_rsa" lies outside the scope; commands can neither read nor change it.`];
  const closed = `lies outside the scope; commands can neither read nor change it.`;
  const allow = "A person can allow it: start the server with";
  const notes = [`"${home}/notes" ${closed} ${allow} --read ${home}/notes.`];
  bench.write(".git/config.worktree", "");
  const config = [
    `"${scope}/.git/config.worktree" is protected, because programs outside the sandbox obey it; commands can read but not ` +
    `change it. ${allow} --allow-protected .git/config.worktree.`,
  ];
  const sockets = [
    `commands make Unix sockets for connections only, and reach none of other programs. ${allow} --unix-sockets allow.`,
  ];
  const path = writePrograms(bench);
  const notFor = (program: string, why: string) => [
    `"${program}" is not for commands, ${why}; a person can run it outside the sandbox.`,
  ];
  const copied = (name: string) => [
    `"${home}/${name}" is read by commands as a copy; a person can change it outside the sandbox.`,
  ];
  const rows: readonly (readonly [line: string, hints: readonly string[]])[] = [
    [`${path}; docker ps`, notFor("docker", "which reach no daemon of this machine")],
    [`${path}; docker ps 2>&1 | tail -1`, notFor("docker", "which reach no daemon of this machine")],
    [`${path}; sh -c 'docker ps'`, notFor("docker", "which reach no daemon of this machine")],
    [`${path}; docker --version`, []],
    ["echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock'", []],
    [`${path}; strace /bin/true; echo done`, notFor("strace", "which may not trace processes")],
    [`${path}; gdb -batch -ex run /bin/true | cat`, notFor("gdb", "which may not trace processes")],
    [`${path}; gdb --version`, []],
    [`${path}; GIT_SSH_COMMAND=nossh git ls-remote ssh://example.test/a; echo done`, [
      "your ssh keys and known hosts are not for commands; a person can lend a key: start the server with --ssh-agent " +
      "KEY --ssh-hosts HOST.",
    ]],
    [`${path}; go env -w GOFLAGS=-mod=mod`, copied(".config/go/env")],
    ["git config --global user.name x", copied(".gitconfig")],
    ["git config --global user.name; cat $GOENV; false", []],
    ["cat ~/.ssh/id_rsa; echo done", key],
    ["cat ~/.ssh/id_rsa 2>&1 | tail -1", key],
    ["cat ~/.ssh/id_rsa 2>/dev/null || true", key],
    ["cat ~/.ssh/none || true", []],
    ["cat ~/notes; echo done", notes],
    ["cat ~/notes || true", notes],
    ["cat ~/notes 2>&1 | tail -1", notes],
    ["cat ~/file; echo done", [`"${home}/file" ${closed} ${allow} --read ${home}/file.`]], // also a word of the message
    [`cat ${bench.elsewhere}/lib/Cargo.toml; echo done`, [
      `"${bench.elsewhere}/lib/Cargo.toml" ${closed} ${allow} --read ${bench.elsewhere}/lib or --write ${bench.elsewhere}/lib.`,
    ]],
    ["cat ~/missing ~/.gitconfig; echo done", []],
    ["cat ~/missing ~/.gitconfig", []],
    ["echo x > ~/new; echo done", [`"${home}/new" ${closed}`]],
    ["echo x >> ~/notes", [`"${home}/notes" ${closed}`]],
    ["T=~/.tools; touch $T/bin/y; echo done", [`"${home}/.tools/bin/y" ${closed} ${allow} --private-home.`]],
    ["T=~/.tools; mkdir -p $T/a/b/c; echo done", [`"${home}/.tools" ${closed} ${allow} --private-home.`]],
    ["git init -q ../made; echo done", [`"${parent}/made" ${closed}`]],
    ["echo x > /tmp/out && cat /tmp/out /tmp/none; echo done", []],
    ["ls ..; echo done", [`"${parent}" ${closed}`]],
    ["cd ..; false", []],
    ["git config --file .git/config.worktree user.name x; echo done", config],
    ["python3 listen.py; echo done", []],
    ["python3 -c 'import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)'; echo done", sockets],
    ["python3 -c 'import os; os.openpty()' 2>&1 | tail -2", []],
    ["touch /var/lib/dpkg/lock /var/cache/apt/x; echo done", [
      "system packages are not for commands; a person can install them.",
    ]],
    ["echo 'error: Read-only file system (os error 30)'; false", [
      "outside the scope everything is read-only; temporary files belong in $TMPDIR.",
    ]],
    ["echo 'sh: /proc/sys/vm/drop_caches: Read-only file system'; false", [
      "outside the scope everything is read-only; temporary files belong in $TMPDIR.",
    ]],
    [`ls -l ${home}/notes; echo done`, notes],
    [`stat ${parent}/missing; echo done`, []],
    [`stat ${bench.elsewhere}/missing; echo done`, [
      `"${bench.elsewhere}/missing" ${closed} ${allow} --write ${bench.elsewhere}.`,
    ]],
  ];
  const left = "Ended with the command: sleep 299. Start such a program in its own call or in a session.";
  for (const line of ["sleep 299 & echo on", "sleep 299 >log 2>&1 & echo on"]) {
    assert.deepStrictEqual([line, (await lines(line)).filter((one) => one === left)], [line, [left]]);
  }
  for (const [line, expected] of rows) assert.deepStrictEqual([line, await hints(line)], [line, expected]);
  await client.close();
  await using open = await ServerProcess.start(bench, { flags: ["--read", home] });
  for (const name of ["id_rsa", "none"]) {
    for (const line of [`cat ~/.ssh/${name} 2>&1 | tail -1`, `test -e ~/.ssh/${name}; echo $?`]) {
      const { text } = await open.shell(line);
      const said = `Sandbox: "${home}/.ssh/${name}" is hidden from commands, whether it exists or not.`;
      assert.ok(text.split("\n").includes(said), `${line}: ${text}`);
    }
  }
});
