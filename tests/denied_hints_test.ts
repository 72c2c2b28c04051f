/** What a foreign client's model reads of denials: whatever the exit code, short, and with no advice that misleads. */
import assert from "node:assert/strict";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

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
