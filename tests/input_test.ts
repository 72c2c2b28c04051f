/** Commands that get input while they run: pipes, terminals, and that they wait is asked of the kernel (X22, X23). */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { processesWith } from "./_support/processes.ts";
import { ERAS, ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { exists, withUsersInTurn, Workbench } from "./_support/workbench.ts";

const INPUT = { input: true };
const TTY = { tty: true };

/** The id of the operation that an answer is about. */
function idIn({ text }: { readonly text: string }): string {
  return /\bop_\w+/.exec(text)?.[0] ?? assert.fail(text);
}

/** Ends what a test left waiting, so that it is not in the way of the next. */
async function end(server: ServerProcess, ...answers: readonly { readonly text: string }[]): Promise<void> {
  for (const answer of answers) await server.call("cancel", { id: idIn(answer) });
}

for (const [era, user] of withUsersInTurn(ERAS)) {
  // A call returns when its command waits for input, however long that takes to start.
  const testShared = sharing((bench) => ServerProcess.start(bench, { era, flags: ["--inline-wait", "60000"] }), user);
  testShared(`X22 X23 ${era}: one call for each question of a program, on a pipe, as ${user}`, async ({ server }) => {
    const line = "printf 'Name? '; read name; printf 'Sure? '; read sure; echo $name $sure; exit 3";
    const asked = await server.call("sandboxed_shell", { command: line, ...INPUT });
    assert.match(asked.text, /^op_\w+ waits for input: "Name\?"\. `send` types\.$/);
    const id = idIn(asked);
    assert.match((await server.call("status", {})).text, /running for [^\n]+, waits for input: "Name\?": printf/);
    assert.match((await server.call("await", { id })).text, /^op_\w+ waits for input: "Name\?"\./);
    const next = await server.call("send", { operation_id: id, text: "gold fish\n" });
    assert.match(next.text, /^op_\w+ waits for input: "Sure\?"\.$/);
    const last = await server.call("send", { id, text: "yes", keys: ["enter"] });
    assert.match(last.text, /^gold fish yes\n\[exit code 3, [^\n]+\]$/);
    const late = await server.call("send", { id, text: "x" });
    assert.match(late.text, /^Cannot send to op_\w+: it has ended; `await` returns its result$/);
  });

  testShared(
    `X22 X23 ${era}: a REPL, a password and ctrl-c on a terminal of its own, as ${user}`,
    async ({ server }) => {
      const python = await server.call("sandboxed_shell", { command: "python3 -i", ...TTY });
      assert.match(python.text, /^op_\w+ waits for input: ">>>"\. `send` types\. Output so far:\nPython /);
      const id = idIn(python);
      assert.match(
        (await server.call("send", { id, text: "print(6*7)\n" })).text,
        /^op_\w+ waits for input: ">>>"\. It wrote:\nprint\(6\*7\)\n42\n$/,
      );
      // What the terminal shows of the typed line is not what it printed.
      const slow = "import time; time.sleep(0.2); print('do' + 'ne', 'done')\n";
      assert.match((await server.call("send", { id, text: slow, until: "done" })).text, /\ndone done\n/);
      assert.match((await server.call("send", { id, keys: ["ctrl-d"] })).text, /\[exit code 0, [^\n]+\]$/);
      const secret = await server.call("sandboxed_shell", {
        command: "read -s -p 'Password: ' word; echo; echo ${#word}",
        ...TTY,
      });
      assert.match(secret.text, /^op_\w+ asks for a password: "Password:"\. A person must give it/);
      const told = await server.call("send", { id: idIn(secret), text: "secret\n" });
      assert.match(told.text, /^\n?6\n/);
      assert.doesNotMatch(told.text, /secret/);
      const cat = await server.call("sandboxed_shell", { command: "tty; stty size; exec cat", until: "24 80", ...TTY });
      assert.match(cat.text, /\n {2}\/dev\/pts\/0\n> 24 80$/);
      const resized = await server.call("send", { id: idIn(cat), resize: "120x40", text: "word\n" });
      assert.match(resized.text, /waits for input: "word"\. It wrote:\nword\nword\n/);
      assert.match((await server.call("send", { id: idIn(cat), keys: ["ctrl-c"] })).text, /\[signal SIGINT, [^\n]+\]$/);
    },
  );
}

/** A tool file whose tools ask. */
function askingTool(): object {
  const asking = { description: "Asks.", argv: ["-c", "read a; tty; echo $a"] };
  const subcommand = [{ name: "pipe", ...asking, ...INPUT }, { name: "screen", ...asking, ...TTY }];
  return { name: "ask", description: "Asks.", command: "sh", subcommand };
}

const testShared = sharing((bench) => {
  bench.write(".ahma/tools/ask.json", JSON.stringify(askingTool()));
  return ServerProcess.start(bench);
});

testShared(
  "X22 the end of the input, what is written before it, and 64 KiB at once reach the program",
  async ({ server }) => {
    const cat = await server.call("sandboxed_shell", { command: "wc -c", stdin: "before\n", ...INPUT });
    const id = idIn(cat);
    const whole = "x".repeat(64 * 1024);
    assert.match((await server.call("send", { id, text: whole })).text, /^op_\w+ waits for input/);
    assert.match(
      (await server.call("send", { id, text: `${whole}x` })).text,
      /65537 bytes are given, at most 65536 are allowed$/,
    );
    assert.match((await server.call("send", { id, eof: true })).text, /^65543\n/);
  },
);

testShared(
  "X22 input that cannot be sent completely is refused, and no part of it is sent",
  async ({ bench, server }) => {
    const closed = await server.start("tail -f /dev/null");
    const of = async (id: string, args: object) => (await server.call("send", { id, ...args })).text;
    const plain = idIn(closed);
    assert.match(
      await of(plain, { text: "x" }),
      /^Cannot send to op_\w+: its input is closed: start it with input or tty$/,
    );
    assert.match(await of("op_nope", { text: "x" }), /^Operation "op_nope" is unknown/);
    const id = idIn(await server.call("sandboxed_shell", { command: "cat > got", ...INPUT }));
    assert.match(await of(id, { text: "no\n", keys: ["up"] }), /: the key "up" needs a terminal: start it with tty$/);
    assert.match(await of(id, { text: "no\n", resize: "80x24" }), /: "resize" needs a terminal/);
    assert.match(await of(id, { text: "no\n", resize: "wide" }), /: "resize" is "wide", expected columns and rows/);
    assert.match(await of(id, { text: "no\n", until: "/a(/" }), /^Cannot run "send": Cannot read the pattern/);
    const tty = idIn(await server.call("sandboxed_shell", { command: "cat > got_tty", ...TTY }));
    assert.match(
      await of(tty, { resize: { columns: 120, rows: 40 } }),
      /^Cannot run "send": argument "resize" is \{"columns":120,"rows":40\}, expected a string such as "120x40"$/,
    );
    assert.match(await of(tty, { text: "no\n", keys: ["hyper-x"] }), /: there is no key "hyper-x": known are enter, /);
    await of(id, { eof: true });
    await of(tty, { keys: ["ctrl-d"] });
    assert.deepStrictEqual(["got", "got_tty"].map((name) => Deno.readTextFileSync(`${bench.scope}/${name}`)), ["", ""]);
    const both = await server.shell("cat", { session: "s", ...INPUT });
    assert.match(both.text, /"input" and "tty" cannot be given with "session"/);
    await end(server, closed);
  },
);

testShared("X22 X15 a command without input reads an empty one and has no terminal, as before", async ({ server }) => {
  assert.match((await server.shell("cat; tty; echo over")).text, /^not a tty\nover\n?/);
});

testShared("X22 editors work on a terminal: git rebase -i with vi, and nothing is left of them", async ({ server }) => {
  const commits = ["one", "two"].map((name) => `echo ${name} > ${name}; git add .; git commit -qm ${name}`).join("; ");
  const made = await server.shell(
    `git init -q editors --template=; cd editors; git config user.email a@example.com; git config user.name A; ` +
      `git commit -q --allow-empty -m zero; ${commits}`,
  );
  assert.strictEqual(made.operation?.exit_code, 0, made.text);
  const editing = await server.call("sandboxed_shell", {
    command: "cd editors; GIT_EDITOR=vi git rebase -i HEAD~2",
    ...TTY,
  });
  const id = idIn(editing);
  assert.match(editing.text, /Its screen, the cursor in line 1, column 1:\npick \w+ (# )?one\npick \w+ (# )?two\n/);
  // The second commit is squashed into the first, whose message stays.
  const done = await server.call("send", {
    id,
    text: ":2s/pick/fixup/\n:wq\n",
    until: "Successfully",
    timeout_seconds: 20,
  });
  assert.match(done.text, /Successfully rebased/);
  assert.match((await server.shell("git -C editors log --format=%s")).text, /^one\nzero\n?/);
});

testShared(
  "X22 X20 a program that waits again without a word is given time for the line that is awaited",
  async ({ server }) => {
    const command = "stty -echo -icanon; printf 'ready '; read a; { sleep 0.5; echo answered; } & read b";
    const asked = await server.call("sandboxed_shell", { command, ...TTY });
    const id = idIn(asked);
    const answered = await server.call("send", { id, text: "x\n", until: "answered", timeout_seconds: 20 });
    assert.match(answered.text, /^answered$/m);
    // Without a line, and with one that does not come, its wait for input is the answer.
    assert.match((await server.call("send", { id, text: "y" })).text, /waits for input/);
    const never = await server.call("send", { id, text: "y", until: "never", timeout_seconds: 20 });
    assert.match(never.text, /waits for input/);
    await end(server, asked);
  },
);

testShared("X22 pagers, debuggers and full screens are driven by keys", async ({ bench, server }) => {
  bench.write("numbers", Array.from({ length: 200 }, (_, index) => `line ${index + 1}\n`).join(""));
  const less = await server.call("sandboxed_shell", { command: "less numbers", ...TTY });
  assert.match(less.text, /Its screen, the cursor in line 24, column \d+:\nline 1\n/);
  assert.match((await server.call("send", { id: idIn(less), keys: ["pagedown"] })).text, /line 46/);
  assert.match((await server.call("send", { id: idIn(less), text: "q" })).text, /exit code 0, /);
  bench.write("program.py", "a = 1\nb = a + 1\nprint(b)\n");
  const debug = await server.call("sandboxed_shell", { command: "python3 -m pdb program.py", ...TTY });
  const id = idIn(debug);
  assert.match(debug.text, /waits for input: "\(Pdb\)"/);
  await server.call("send", { id, text: "next\n" });
  assert.match((await server.call("send", { id, text: "p a\n" })).text, /"\(Pdb\)"\. It wrote:\np a\n1\n$/);
  await server.call("send", { id, text: "continue\n" });
  assert.match((await server.call("send", { id, text: "quit\n" })).text, /\[exit code/);
});

testShared("X22 X10 a cancel ends what waits for input with its terminal", async ({ bench, server }) => {
  const waiting = await server.call("sandboxed_shell", {
    command: "trap 'echo gone > gone; exit' HUP TERM; echo up; while :; do read line; done",
    ...TTY,
  });
  assert.match((await server.call("cancel", { id: idIn(waiting) })).text, /is cancelled, its processes are gone/);
  assert.ok(exists(`${bench.scope}/gone`));
});

testShared("X22 a tool file declares input and a terminal", async ({ server }) => {
  for (
    const [name, expected] of [["ask_pipe", /^not a tty\nme\n/], ["ask_screen", /^me\n\/dev\/pts\/0\nme\n/]] as const
  ) {
    const asked = await server.call(name);
    assert.match(asked.text, /^op_\w+ waits for input/);
    assert.match((await server.call("send", { id: idIn(asked), text: "me\n" })).text, expected);
  }
});

testShared(
  "X22 the screen is of the size that is asked for, its cursor keys are those that the program wants",
  async ({ server }) => {
    const draw = `printf '\\033[?1h\\033[2J\\033[3;5Hhere'; stty -echo -icanon; head -c 3 | od -c; tail -f /dev/null`;
    const drawn = await server.call("sandboxed_shell", { command: draw, ...TTY });
    assert.match(drawn.text, /Its screen, the cursor in line 3, column 9:\n\n\n {4}here$/);
    const typed = await server.call("send", { id: idIn(drawn), resize: "100x30", keys: ["up"], until: "0000003" });
    assert.match(typed.text, /033 +O +A/);
    for (const key of ["hyper-x", "constructor"]) {
      const refused = await server.call("send", { id: idIn(drawn), keys: [key] });
      assert.match(refused.text, new RegExp(`: there is no key "${key}": known are enter, .*, alt-x, q`));
    }
    const plain = await server.call("sandboxed_shell", { command: "read a; echo got $a", ...TTY });
    const said = await server.call("send", { id: idIn(plain), text: "a", keys: ["Q", "%", "enter"] });
    assert.match(said.text, /^got aQ%$/m);
    const size = await server.call("sandboxed_shell", { command: "stty size; read a; stty size; read b", ...TTY });
    assert.match(size.text, /24 80/);
    const sized = await server.call("send", { id: idIn(size), resize: "100x30", text: "x\n" });
    assert.match(sized.text, /30 100/);
    await end(server, drawn, size);
  },
);

testShared(
  "X22 S3 what a terminal could answer is never typed, and nothing is typed into another operation",
  async ({ bench, server }) => {
    // Place of the cursor, kind of terminal, its title.
    const asking = "printf '\\033[6n\\033[c\\033[21t'; read -t 0.3 -n 1 got; echo \"status $? '$got'\"";
    const asked = await server.shell(asking, TTY);
    assert.match(asked.text, /status 142 ''/);
    const [one, other] = [
      await server.call("sandboxed_shell", { command: "cat > one", ...TTY }),
      await server.call("sandboxed_shell", { command: "cat > other", ...TTY }),
    ];
    // Each has terminals of its own: the other one's is not there.
    const reach = await server.shell("ls /dev/pts; for n in 0 1 2; do echo typed > /dev/pts/$n; done; true");
    assert.match(reach.text, /^ptmx\n/);
    const push = `python3 -c 'import fcntl; fcntl.ioctl(0, 0x5412, b"x")' < /dev/tty`;
    assert.match((await server.shell(push, TTY)).text, /PermissionError|Operation not permitted/);
    for (const answer of [one, other]) await server.call("send", { id: idIn(answer), keys: ["ctrl-d"] });
    assert.deepStrictEqual(["one", "other"].map((name) => Deno.readTextFileSync(`${bench.scope}/${name}`)), ["", ""]);
  },
);

testShared(
  "X22 a terminal that collects lines loses nothing of what is typed: too long a line is refused, and slow readers get all",
  async ({ bench, server }) => {
    const [most, cut] = ["x".repeat(4095), "x".repeat(4096)];
    const collects = idIn(await server.call("sandboxed_shell", { command: "wc -c", ...TTY }));
    const refused = await server.call("send", { id: collects, text: `one\n${cut}\n` });
    const why =
      `Cannot send to ${collects}. A line of 4096 bytes is given, and its terminal takes 4095: give shorter ` +
      "lines, or start it with input in place of tty.";
    assert.ok(refused.text.startsWith(why), refused.text);
    assert.ok(refused.result["isError"]);
    await server.call("send", { id: collects, text: `${most}\n`, timeout_seconds: 0 });
    await server.call("send", { id: collects, eof: true, timeout_seconds: 0 });
    assert.match((await server.call("await", { id: collects })).text, /^4096$/m);
    const first = await server.call("sandboxed_shell", { command: "touch ran; wc -c", ...TTY, stdin: `${cut}\n` });
    assert.match(
      first.text,
      /^\[no output, failed, .*: A line of 4096 bytes is given, .* start it with input in place of tty\]/,
    );
    assert.match((await server.shell("test -e ran || echo nothing ran")).text, /^nothing ran/);
    // A key for it, where the program takes keys.
    const takesKeys = "stty raw -echo; echo ready; head -c 4097 >keys; touch read_all";
    const keys = await server.call("sandboxed_shell", { command: takesKeys, ...TTY, until: "ready" });
    await server.call("send", { id: idIn(keys), text: `${cut}\n`, timeout_seconds: 0 });
    await bench.appears("read_all");
    assert.equal(await Deno.readTextFile(`${bench.scope}/keys`), `${cut}\r`);
    // More than the terminal holds, read only after the patience of `send`.
    const late = { command: "sleep 2.5; head -n 9000 | wc -l", ...TTY, stdin: "x\n".repeat(9000) };
    const slow = await server.call("sandboxed_shell", { ...late, until: "9000" });
    assert.match(slow.text, /^> 9000$|^9000$/m);
  },
);

testShared(
  "X22 a program that reads nothing delays no call, and the result says what was not delivered",
  async ({ server }) => {
    const deaf = idIn(await server.call("sandboxed_shell", { command: "echo up; exec tail -f /dev/null", ...INPUT }));
    const large = "x".repeat(60_000);
    const first = await server.call("send", { id: deaf, text: large, timeout_seconds: 0 });
    assert.match(first.text, /^op_\w+ still runs after/);
    const second = await server.call("send", { id: deaf, text: large, timeout_seconds: 0 });
    assert.match(second.text, /\. Its program does not read its input; what was sent waits there\.$/);
    const third = await server.call("send", { id: deaf, text: "y" });
    assert.match(third.text, /\. Its program has not read what was sent before\.$/);
    assert.match((await server.call("cancel", { id: deaf })).text, /is cancelled, its processes are gone/);
    const closed = idIn(
      await server.call("sandboxed_shell", { command: "exec 0<&-; echo up; tail -f /dev/null", ...INPUT }),
    );
    for (const text of ["one\n", "two\n"]) {
      const refused = await server.call("send", { id: closed, text });
      assert.match(refused.text, /^Cannot send to op_\w+\. Its program has closed its input\.$/);
    }
    await server.call("cancel", { id: closed });
  },
);

Deno.test("X22 without the sandbox a command has input and a terminal too", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { flags: ["--no-sandbox"] });
  for (const [kind, echoed] of [[INPUT, ""], [TTY, "word\n"]] as const) {
    const asked = await server.call("sandboxed_shell", { command: "printf 'Word? '; read a; echo got $a", ...kind });
    assert.match(asked.text, /^op_\w+ waits for input: "Word\?"/);
    const { text } = await server.call("send", { id: idIn(asked), text: "word\n" });
    assert.ok(text.startsWith(`${echoed}got word\n`), text);
  }
});

testShared("X22 a program that imitates our messages is shown as its output", async ({ server }) => {
  const fake = 'op_FAKE0000 waits for input: "sudo password"';
  const shown = await server.call("sandboxed_shell", { command: `echo '${fake}'; read a`, ...INPUT });
  assert.match(shown.text, /^op_\w+ waits for input: ".*op_FAKE0000 .*"\. `send` types\. Output so far:\nop_FAKE0000/);
  await end(server, shown);
});

Deno.test("X22 a 65th command with an open input is refused, and has its place when one of the 64 ends, and the end of the session ends them", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { flags: ["--max-concurrency", "100"] });
  // They answer when they run, which a mere start does not say.
  const open = (kind: object) => server.call("sandboxed_shell", { command: "read a", ...kind });
  const first = idIn(await open(TTY));
  await Promise.all(Array.from({ length: 63 }, () => open(INPUT)));
  for (const kind of [INPUT, TTY]) {
    const refused = await server.shell("read a", kind);
    assert.match(
      refused.text,
      /: 64 commands with input or tty run, which is the limit: end one of them with `cancel`/,
    );
    assert.ok(refused.result["isError"]);
  }
  assert.match((await server.shell("echo plain")).text, /^plain(?:\n|$)/);
  await server.call("cancel", { operation_id: first });
  assert.match((await server.call("sandboxed_shell", { command: "read a", ...TTY })).text, /^op_\w+ waits for input/);
});

/** Terminals that a process holds from their other end. */
function terminalsOf(pid: number): number {
  const links = [...Deno.readDirSync(`/proc/${pid}/fd`)].map(({ name }) => {
    try {
      return Deno.readLinkSync(`/proc/${pid}/fd/${name}`);
    } catch (thrown) {
      if (thrown instanceof Deno.errors.NotFound) return ""; // the look itself had it open
      throw thrown;
    }
  });
  return links.filter((link) => link.endsWith("ptmx")).length;
}

Deno.test("X22 X10 H6 an HTTP session that ends leaves nothing of what waited for its input", async () => {
  using bench = new Workbench();
  await using server = await HttpServerProcess.start(bench);
  await using client = await HttpClient.connect(server);
  for (const kind of [INPUT, TTY]) {
    const { text } = await client.call("sandboxed_shell", { command: "exec -a waiting-prey cat", ...kind });
    assert.match(text, /^op_\w+ waits for input/);
  }
  const prey = async () =>
    (await processesWith(bench.marker)).filter(({ command }) => command === "waiting-prey").length;
  assert.deepStrictEqual([await prey(), terminalsOf(server.pid)], [2, 1]);
  await (await client.fetch("DELETE")).body?.cancel();
  // The terminal is looked for first: that starts no program.
  const isOver = async () => terminalsOf(server.pid) === 0 && await prey() === 0;
  await until(isOver, 5_000, "the end of both commands and of the terminal");
});

testShared("X22 a command after one with a terminal has no terminal, and finds none", async ({ server }) => {
  const command =
    "stty raw; (trap '' HUP; setsid tail -f /dev/null </dev/tty >/dev/null 2>&1 &); tty; read -t 0.1 a; true";
  assert.match((await server.shell(command, TTY)).text, /\/dev\/pts\/0/);
  const next = await server.shell("ls /dev/pts; tty; cat /proc/[0-9]*/comm | grep -c tail; true");
  assert.match(next.text, /^ptmx\nnot a tty\n0\n?/);
  assert.strictEqual(terminalsOf(server.pid), 0);
});
