/** What a foreign client's model reads of denials: whatever the exit code, short, and with no advice that misleads. */
import assert from "node:assert/strict";
import { connectClient } from "./_support/sdk_client.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { usersAtHand, Workbench } from "./_support/workbench.ts";

const PYTHON_SOCKET = `import socket
try:
    socket.socket(socket.AF_UNIX).bind("s")
finally:
    print("cleaned up")
`;

for (const user of usersAtHand()) {
  Deno.test(`S15 X17 a client reads each denial, and what ended with its command, in a line, as ${user}`, async () => {
    using bench = new Workbench(user);
    bench.write(`${bench.home}/.ssh/id_rsa`, "key");
    bench.write(`${bench.home}/notes`, "text");
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
    const rows: readonly (readonly [line: string, hints: readonly string[]])[] = [
      ["cat ~/.ssh/id_rsa; echo done", key],
      ["cat ~/.ssh/id_rsa 2>&1 | tail -1", key],
      ["cat ~/.ssh/id_rsa 2>/dev/null || true", key],
      ["cat ~/.ssh/none || true", []],
      ["cat ~/notes; echo done", notes],
      ["cat ~/notes || true", notes],
      ["cat ~/notes 2>&1 | tail -1", notes],
      ["cat ~/missing ~/.gitconfig; echo done", []],
      ["cat ~/missing ~/.gitconfig", []],
      ["echo x > ~/new; echo done", [`"${home}/new" ${closed}`]],
      ["echo x >> ~/notes", [`"${home}/notes" ${closed}`]],
      ["T=~/.tools; touch $T/bin/y; echo done", [`"${home}/.tools/bin/y" ${closed}`]],
      ["T=~/.tools; mkdir -p $T/a/b/c; echo done", [`"${home}/.tools" ${closed}`]],
      ["git init -q ../made; echo done", [`"${parent}/made" ${closed}`]],
      ["echo x > /tmp/out && cat /tmp/out /tmp/none; echo done", []],
      ["ls ..; echo done", [`"${parent}" ${closed}`]],
      ["cd ..; false", []],
      ["git config --file .git/config.worktree user.name x; echo done", config],
      ["python3 listen.py; echo done", []],
      ["python3 -c 'import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)'; echo done", sockets],
      ["python3 -c 'import os; os.openpty()' 2>&1 | tail -2", []],
      ["touch /var/lib/dpkg/lock /var/cache/apt/x; echo done", ["system packages are not for commands."]],
      ["echo 'error: Read-only file system (os error 30)'; false", [
        "outside the scope everything is read-only; temporary files belong in $TMPDIR.",
      ]],
      [`ls -l ${home}/notes; echo done`, notes],
      [`stat ${parent}/missing; echo done`, []],
      [`stat ${bench.elsewhere}/missing; echo done`, [
        `"${bench.elsewhere}/missing" ${closed} ${allow} --write ${bench.elsewhere}.`,
      ]],
    ];
    const left = "Ended with the command: sleep 299. Start such a program as a call of its own or in a session.";
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
}
