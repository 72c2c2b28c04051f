/**
 * The root of commands (S8) and their pseudo-terminals (S23): what is granted is there at its own path, whatever links lead
 * there, and nothing else exists. Each denial has its control without a sandbox.
 */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { compile, HAS_COMPILER, NO_COMPILER } from "./_support/kernel/compiled.ts";
import { until } from "./_support/deadline.ts";
import { exists, usersAtHand, Workbench } from "./_support/workbench.ts";

/** What a terminal of another program's looks like from inside; prints 42 where it is reached. */
function reachTerminal(path: string): string {
  return `/usr/bin/python3 -I -c "import os; os.close(os.open('${path}', os.O_RDWR | os.O_NOCTTY)); print(6 * 7)"`;
}

for (const user of usersAtHand()) {
  Deno.test(`S8 S23 a command sees what is granted at its own path, has pseudo-terminals of its own, and reaches nothing else of the machine, as ${user}`, async () => {
    using bench = new Workbench(user);
    const { elsewhere, home, parent, scope } = bench;
    bench.write(`${elsewhere}/granted/file`, "granted");
    bench.write(`${elsewhere}/closed/file`, "closed");
    bench.write(`${parent}/beside`, "closed");
    for (const name of ["over", "decoy"]) bench.write(`${elsewhere}/${name}/deep/file`, `in ${name}`);
    await Deno.symlink(elsewhere, `${parent}/way`);
    const flags = ["--read", `${parent}/way/granted`, "--read", `${elsewhere}/over/deep`];
    const granted = [scope, home, `${elsewhere}/granted/file`, `${parent}/way/granted/file`, "/bin/sh", "/etc/passwd"];
    const closed = [
      `${elsewhere}/closed`,
      `${parent}/beside`,
      "/etc/shadow",
      "/sys/kernel",
      "/boot",
      "/proc/1/root/srv/x",
    ];
    const look = `for p in ${
      [...granted, ...closed].join(" ")
    }; do stat -L $p >/dev/null 2>&1 && echo "there $p"; done; true`;
    const seen = (text: string) => [...text.matchAll(/^there (.+)$/gm)].map(([, path]) => path);
    await using server = await ServerProcess.start(bench, { flags });
    assert.deepStrictEqual(seen((await server.shell(look)).text), granted);
    const facts = await server.shell(
      `cd .. && pwd && cd - >/dev/null && pwd -P && cat ${parent}/way/granted/file && echo x > /dev/null && ` +
        "head -c 2 /dev/zero | wc -c && echo out > /dev/stdout && readlink /dev/fd",
    );
    assert.match(facts.text, new RegExp(`^${parent}\n${scope}\ngranted2\nout\n/proc/self/fd$`, "m"));
    const changes = await server.shell(
      `mkdir /new ${home}/new; chmod 700 / /dev/null ${elsewhere}/granted; rm /bin; true`,
    );
    assert.deepStrictEqual(changes.text.match(/Read-only file system/g)?.length, 6, changes.text);
    const deep = `cat ${elsewhere}/over/deep/file; true`;
    assert.match((await server.shell(deep)).text, /^in over/);
    await Deno.rename(`${elsewhere}/over`, `${elsewhere}/over-away`);
    await Deno.symlink("decoy", `${elsewhere}/over`);
    assert.doesNotMatch((await server.shell(deep)).text, /in decoy/, "a link that came since leads nowhere");
    // The control: without the sandbox they are there.
    using other = new Workbench(user);
    await using open = await ServerProcess.start(other, { flags: ["--no-sandbox"] });
    assert.ok(seen((await open.shell(look)).text).includes(`${elsewhere}/closed`));

    // S23: terminals.
    const used = await server.shell("script -qc 'tty; ls /dev/pts; echo typed > /dev/tty' /dev/null");
    assert.match(used.text, /^\/dev\/pts\/0\r?\n0 +ptmx\r?\ntyped/m);
    const { operation } = await open.start("script -qfc 'tty; exec tail -f /dev/null' log");
    const path = await until(() => terminalIn(`${other.scope}/log`), 20_000, "the terminal outside");
    assert.doesNotMatch((await server.shell(reachTerminal(path))).text, /^42$/m);
    assert.match((await open.shell(reachTerminal(path))).text, /^42$/m);
    await open.call("cancel", { operation_id: operation?.operation_id });
  });
}

/** The name that `tty` has written to a typescript; undefined: not yet. */
function terminalIn(log: string): string | undefined {
  return exists(log) ? /\/dev\/pts\/\d+/.exec(Deno.readTextFileSync(log))?.[0] : undefined;
}

/** By number (x86_64, aarch64). */
const PIVOT_ROOT = Deno.build.arch === "aarch64" ? 41 : 155;

Deno.test({
  name:
    `S8 where no root of its own can be entered the other layers stay, and status says what is missing${NO_COMPILER}`,
  ignore: !HAS_COMPILER,
  fn: async () => {
    using bench = new Workbench();
    const secret = bench.write(`${bench.elsewhere}/secret`, "closed");
    const wrapper = await compile("without_calls.c", `${bench.elsewhere}/without_calls`);
    await using server = await ServerProcess.start(bench, { prefix: [wrapper, "1", String(PIVOT_ROOT)] });
    const status = (await server.call("status")).text;
    assert.match(status, /mount and PID namespaces, system calls filtered.*NOT HELD: commands see the names of files/);
    const { text } = await server.shell(
      `test -e ${secret} && echo seen; cat ${secret}; chmod 777 ${secret}; echo in > file`,
    );
    assert.match(text, /^seen\n.*Permission denied\n.*Read-only file system$/m);
    assert.strictEqual(await Deno.readTextFile(`${bench.scope}/file`), "in\n");
  },
});
