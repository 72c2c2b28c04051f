import type { CommandEnd } from "../../base/command/command_end.ts";
import assert from "node:assert/strict";
import { stopping } from "../../base/_support/timers.ts";
import { writeProgram } from "../../sandbox/launcher/_support/write_program.ts";
import { BACKGROUND_GRACE_MS } from "../supervision.ts";
import { DEFAULT_WAY, type Fixture, fixture, processesWith, WAYS } from "../_support/runner_fixture.ts";

function exited(code: number): CommandEnd {
  return { kind: "exited", code };
}

/** What is proved with one runner of each way; each uses files of its own. */
type Proof = (f: Fixture, way: typeof DEFAULT_WAY) => Promise<void>;

const PROOFS: { readonly name: string; readonly prove: Proof }[] = [];
function test(name: string, prove: Proof): void {
  PROOFS.push({ name, prove });
}

for (const way of WAYS) {
  Deno.test(`LinuxRunner behaves alike (${way.name})`, async (t) => {
    await using f = await fixture(way);
    for (const { name, prove } of PROOFS) await t.step(name, () => prove(f, way));
  });
}

test("X7 LinuxRunner.run() joins stdout and stderr in the order written", async (f) => {
  const { end, output } = await f.run({ shell: "echo a; echo b >&2; echo c; (echo d >&2) # note" });
  assert.deepStrictEqual([end, output], [exited(0), "a\nb\nc\nd\n"]);
});

test("T7 LinuxRunner.run() hands argv over byte for byte", async (f) => {
  const words = ["a b", "$(id)", "*", "'\"\\", "-x", "two\nlines", "é€😀", ""];
  for (const all of [words, [...words, "long".repeat(20_000)]]) {
    const { end, output } = await f.run({ argv: ["printf", "%s\\0", ...all] });
    assert.deepStrictEqual([end, output.split("\0").slice(0, -1)], [exited(0), all]);
  }
});

test("T11 LinuxRunner.run() keeps an offline command from the network, and only that", async (f) => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const reach = `exec 3<>/dev/tcp/127.0.0.1/${listener.addr.port} && echo reached; echo here > made && cat made`;
  const outputs: string[] = [];
  for (const offline of [undefined, true] as const) {
    const { output } = await f.run({ argv: ["bash", "-c", `{ ${reach}; } 2> /dev/null`] }, {
      ...offline && { offline },
    });
    outputs.push(output);
  }
  assert.deepStrictEqual(outputs, ["reached\nhere\n", f.sandbox.policy ? "here\n" : "reached\nhere\n"]);
});

test("S3 LinuxRunner.open() keeps stdin open and stderr apart, inside the same sandbox", async (f, way) => {
  const stderrFile = `${f.sandbox.directories.files}/stderr`;
  await Deno.writeTextFile(stderrFile, "");
  const outside = `${f.sandbox.directories.root}/planted`;
  const lines: string[] = [];
  const answered = Promise.withResolvers<void>();
  const line = 'read a; echo "got $a"; echo trouble >&2; echo x > "$0"; read b; echo "then $b"; exit 3';
  const opened = await f.runner.open({
    run: { argv: ["sh", "-c", line, outside] },
    directory: f.scope,
    environment: {},
    stderrFile,
  }, {
    signal: new AbortController().signal,
    onOutput: (chunk) => {
      lines.push(new TextDecoder().decode(chunk));
      answered.resolve();
    },
  });
  const writer = opened.stdin.getWriter();
  await writer.write(new TextEncoder().encode("one\n"));
  await answered.promise;
  await writer.write(new TextEncoder().encode("two\n"));
  await writer.close();
  assert.deepStrictEqual([await opened.end, lines.join("")], [exited(3), "got one\nthen two\n"]);
  const [first, second] = (await Deno.readTextFile(stderrFile)).split("\n");
  assert.strictEqual(first, "trouble");
  if (way.enforce) assert.match(second ?? "", /denied|Read-only/);
  const names = await Array.fromAsync(Deno.readDir(f.sandbox.directories.root), ({ name }) => name);
  assert.strictEqual(names.includes("planted"), !way.enforce);
});

test("X15 LinuxRunner.run() gives an empty stdin, or the text of the call", async (f) => {
  assert.deepStrictEqual(await f.run({ shell: "cat; echo end" }), { end: exited(0), output: "end\n" });
  assert.deepStrictEqual(await f.run({ argv: ["cat"] }), { end: exited(0), output: "" });
  assert.deepStrictEqual(await f.run({ shell: "cat" }, { stdin: "text" }), { end: exited(0), output: "text" });
  assert.deepStrictEqual(await f.run({ argv: ["true"] }, { stdin: "x".repeat(200_000) }), {
    end: exited(0),
    output: "",
  });
});

test("X4 LinuxRunner.run() tells exit codes from signals", async (f) => {
  assert.deepStrictEqual((await f.run({ shell: "exit 7" })).end, exited(7));
  assert.deepStrictEqual((await f.run({ shell: "exit 137" })).end, exited(137));
  assert.deepStrictEqual((await f.run({ shell: "kill -9 $$" })).end, { kind: "signalled", signal: "SIGKILL" });
  assert.deepStrictEqual((await f.run({ argv: ["bash", "-c", "kill -TERM $$"] })).end, {
    kind: "signalled",
    signal: "SIGTERM",
  });
});

test("X4 LinuxRunner.run() says why a program could not be started", async (f) => {
  assert.deepStrictEqual((await f.run({ argv: ["no-such-program"] })).end, {
    kind: "not_started",
    message:
      'Cannot start "no-such-program": no such program on the PATH of commands. Install it, or give its path inside the scope',
  });
  const programs = [
    ["data", "text", 0o600, "permission denied: not executable, or not readable inside the sandbox"],
    ["text", "echo hi", 0o700, "not a program this machine can run (a script without a #! line?)"],
    ["script", "#!/nowhere/sh", 0o700, "not found, or its interpreter (#! line) is missing"],
    ["busy", "#!/bin/sh", 0o700, "it is open for writing in some process"],
  ] as const;
  for (const [name, text, mode, why] of programs) {
    await writeProgram(`${f.scope}/${name}`, new TextEncoder().encode(text));
    await Deno.chmod(`${f.scope}/${name}`, mode);
    using _held = name === "busy" ? await Deno.open(`${f.scope}/busy`, { append: true }) : undefined;
    const { end } = await f.run({ argv: [`./${name}`] });
    assert.deepStrictEqual(end, { kind: "not_started", message: `Cannot start "./${name}": ${why}` });
  }
  const tooLong = await f.run({ argv: ["echo", "x".repeat(140_000)] });
  const message = 'Cannot start "echo": argument list too long (E2BIG)';
  assert.deepStrictEqual(tooLong.end, { kind: "not_started", message });
});

test("S16 LinuxRunner.run() starts in the directory asked for and adds variables", async (f) => {
  const directory = `${f.scope}/it's "a" dir`;
  await Deno.mkdir(directory);
  for (const run of [{ shell: 'pwd; printf "%s" "$X"' }, { argv: ["bash", "-c", 'pwd; printf "%s" "$X"'] }]) {
    const { output } = await f.run(run, { directory, environment: { X: "a'b\n$c" } });
    assert.deepStrictEqual(output, `${directory}\na'b\n$c`);
  }
});

test("P1 LinuxRunner.run() gives every line a fresh shell", async (f) => {
  await f.run({ shell: "export LEAK=1; alias ls=false; cd /; trap 'echo trapped' EXIT; set -e; exec >/dev/null" });
  const { output } = await f.run({ shell: 'echo "[${LEAK-}]"; alias; pwd; false; echo on' });
  assert.deepStrictEqual(output, `[]\n${f.scope}\non\n`);
});

test("S9 LinuxRunner.run() hides the server's environment", async (f) => {
  const { output } = await f.run({ shell: "env" });
  assert.ok(!output.includes("SECRET_TOKEN") && output.includes("GIT_TERMINAL_PROMPT=0"), output);
});

test("P4 LinuxRunner.run() passes no descriptor but 0, 1 and 2", async (f, way) => {
  const list = ["ls", "-l", "/proc/self/fd"];
  const line = `for n in /dev/fd/*; do [ -e $n ] || continue; done; exec ${list.join(" ")}`;
  if (way.enforce && !way.namespaces) return; // no /proc to look at there
  for (const run of [{ shell: line }, { argv: list }]) {
    const { output } = await f.run(run);
    const descriptors = output.match(/ (\d+) -> /g)?.map((fd) => Number(fd.slice(1, -4))) ?? [];
    assert.deepStrictEqual(descriptors, [0, 1, 2, 3], output); // 3: the directory that is listed
    assert.match(output, / 0 -> \/dev\/null/);
  }
});

test("X10 LinuxRunner.run() starts programs with every signal as the system has it", async (f, way) => {
  if (way.enforce && !way.namespaces) return; // no /proc to look at there
  const { output } = await f.run({ argv: ["grep", "^Sig[BI]", "/proc/self/status"] });
  assert.deepStrictEqual(output.match(/\t0{16}$/gm)?.length, 2, output);
});

test("X10 LinuxRunner.run() does not wait for a background child that keeps the output open", async (f) => {
  const marker = `31${Deno.pid}7`;
  const { end, output } = await f.run({ shell: `mkfifo a ${marker}; cat a ${marker} & : > a; echo done` });
  const left = { commands: [`cat a ${marker}`], more: 0 };
  assert.deepStrictEqual([end, output], [{ ...exited(0), left }, "done\n"]);
  await f.runner.settled();
  assert.deepStrictEqual(await processesWith(`cat a ${marker}`), 0);
});

test("X9 LinuxRunner.run() asks a command to end that is cancelled while it starts", async (f) => {
  for (const run of [{ argv: ["sleep", "60"] }, { shell: "exec sleep 60" }]) {
    const { end } = await f.run(run, { signal: AbortSignal.abort() });
    assert.deepStrictEqual(end, { kind: "signalled", signal: "SIGTERM" }, JSON.stringify(run));
  }
});

test("X17 LinuxRunner.run() names the background children that are ended with their command", async (f) => {
  // Each reads one pipe, which says that it runs, and waits at another.
  await f.run({ shell: "mkfifo p q r s" });
  const rows: readonly (readonly [line: string, commands: readonly string[] | undefined])[] = [
    ["cat p q & : > p; echo x", ["cat p q"]],
    ["cat p q >/dev/null 2>&1 & : > p; cat r s >/dev/null 2>&1 & : > r; exit 3", ["cat p q", "cat r s"]],
    ["sleep 294 & wait & kill %1; wait", undefined],
    ["sleep 0.01 & echo x", undefined],
    ["echo x", undefined],
  ];
  for (const [line, commands] of rows) {
    using _grace = commands === undefined ? stopping(BACKGROUND_GRACE_MS) : undefined;
    const { end } = await f.run({ shell: line });
    const left = end.kind === "exited" ? end.left : undefined;
    assert.deepStrictEqual([line, left], [line, commands === undefined ? undefined : { commands, more: 0 }]);
  }
});

test(
  "X10 LinuxRunner.run() ends a process whose main thread has gone, and one that forks and ends all the time",
  async (f, way) => {
    if (way.namespaces && way !== DEFAULT_WAY) return; // ended as in the first way
    const thread = "import threading, time, ctypes; threading.Thread(target=lambda: time.sleep(60)).start(); " +
      "ctypes.CDLL(None).syscall(60, 0)";
    const chain = "import os, signal, time\nos.setsid(); signal.signal(15, signal.SIG_IGN); end = time.time() + 30\n" +
      "while time.time() < end:\n  if os.fork() > 0: os._exit(0)\n  time.sleep(0.0002)";
    const marker = `ahma-${Deno.pid}-${way.name.length}`;
    for (const script of [thread, chain]) {
      await Deno.writeTextFile(`${f.scope}/${marker}.py`, script);
      const abort = new AbortController();
      const { end } = await f.run({ shell: `python3 ${marker}.py >/dev/null 2>&1 & sleep 0.3; echo up; sleep 60` }, {
        signal: abort.signal,
        onText: (text) => text.includes("up") && abort.abort(),
      });
      assert.deepStrictEqual([end.kind, await processesWith(`python3 .*${marker}`)], ["signalled", 0]);
    }
  },
);

test("X7 LinuxRunner.run() delivers long lines and long output whole", async (f) => {
  const long = "x".repeat(140_000); // longer than one word of a call of the system may be
  assert.deepStrictEqual((await f.run({ shell: `printf %s ${long}` })).output.length, long.length);
  assert.deepStrictEqual((await f.run({ shell: "head -c 1000000 /dev/zero" })).output.length, 1_000_000);
});

test("S4 LinuxRunner.run() confines reads and writes to the scope", async (f, way) => {
  if (!way.enforce) return;
  await Deno.writeTextFile(`${f.scope}/../outside`, "marker");
  await Deno.symlink("../outside", `${f.scope}/link`);
  const { output } = await f.run({
    shell:
      "cat ../outside link; echo x > link; echo x > ../new; mkdir ../d; rm ../outside; ls ..; echo kept > inside; cat inside",
  });
  assert.ok(!output.includes("marker") && output.endsWith("kept\n"), output);
  const left = (await Array.fromAsync(Deno.readDir(`${f.scope}/..`))).map(({ name }) => name).sort();
  assert.deepStrictEqual(left, ["home", "outside", "scope"]);
  assert.deepStrictEqual(await Deno.readTextFile(`${f.scope}/../outside`), "marker");
});

test("S8 LinuxRunner.run() sets NoNewPrivs and leaves no capability", async (f, way) => {
  if (!way.enforce) return;
  const script = "import ctypes\nlibc = ctypes.CDLL(None)\ndata = (ctypes.c_uint32 * 6)()\n" +
    "print(libc.prctl(39, 0, 0, 0, 0), libc.capget((ctypes.c_uint32 * 2)(0x20080522, 0), data), list(data))\n" +
    "print(libc.prctl(23, 0), [number for number in range(64) if libc.prctl(23, number) == 1])";
  const { output } = await f.run({ argv: ["python3", "-c", script] });
  // Without a namespace an ordinary user takes nothing from the bounding set, by which nothing is gained here.
  const bounding = way.namespaces || Deno.uid() === 0 ? /0 \[\]/ : /\d \[.*\]/;
  assert.match(output, new RegExp(`^1 0 \\[0, 0, 0, 0, 0, 0\\]\n${bounding.source}\n$`));
});

/** A cancelled tree that ignores the signal has two seconds; the ways wait side by side. */
Deno.test("X10 LinuxRunner.run() leaves nothing of a cancelled tree, each way", async () => {
  await Promise.all(WAYS.map(async (way, index) => {
    await using f = await fixture(way);
    const marker = `32${Deno.pid}7${index}`;
    const abort = new AbortController();
    const line =
      `trap "" TERM; (setsid nohup sleep ${marker} >/dev/null 2>&1 &); setsid sleep ${marker} & echo up; sleep ${marker}`;
    const { end } = await f.run({ shell: line }, {
      signal: abort.signal,
      onText: (text) => text.includes("up") && abort.abort(),
    });
    const expected = { kind: "signalled", signal: "SIGKILL" };
    assert.deepStrictEqual([end, await processesWith(`sleep ${marker}`)], [expected, 0], way.name);
  }));
});

for (const way of WAYS.filter(({ enforce }) => enforce)) {
  Deno.test(`S4 LinuxRunner.run() looks at what was granted before it runs what waited (${way.name})`, async (t) => {
    await using f = await fixture(way, ["notes"]);
    await t.step("it can read a file that was exchanged since", async () => {
      const notes = `${f.scope}/../home/notes`;
      await Deno.writeTextFile(`${notes}~`, "new");
      await Deno.rename(`${notes}~`, notes);
      const read = { argv: ["cat", notes] };
      assert.deepStrictEqual(await f.run(read), { end: exited(0), output: "new" });
      assert.deepStrictEqual(await f.run({ shell: `cat ${notes}` }), { end: exited(0), output: "new" });
    });
    await t.step("it is refused when the scope is no longer the same directory", async () => {
      await Deno.rename(f.scope, `${f.scope}-moved`);
      await Deno.mkdir(f.scope);
      for (const [program, run] of [["true", { argv: ["true"] }], ["bash", { shell: "true" }]] as const) {
        const { end } = await f.run(run);
        assert.deepStrictEqual(end, {
          kind: "not_started",
          message:
            `Cannot start "${program}" in the sandbox: cannot see that "${f.scope}" is still the same directory: it has changed since the session began. Nothing was run`,
          fault: "server",
        });
      }
    });
  });
}

Deno.test("S8 LinuxRunner tells the next result of what changed in a command without one", async () => {
  const way = WAYS.find(({ enforce, namespaces, pool }) => enforce && namespaces && pool);
  assert.ok(way !== undefined);
  await using f = await fixture(way);
  const { signal } = new AbortController();
  const request = { directory: f.scope, environment: {}, stdin: undefined };
  const onOutput = () => {};
  await f.runner.run({ ...request, run: { argv: ["mkdir", ".vscode"] } }, { signal, onOutput });
  const stderrFile = `${f.scope}/stderr`;
  await Deno.writeTextFile(stderrFile, "");
  const opened = await f.runner.open(
    { ...request, run: { argv: ["mkdir", ".idea"] }, stderrFile },
    { signal, onOutput },
  );
  await opened.stdin.close();
  await opened.end;
  const told: unknown[] = [];
  const onProtectedChange = (changes: readonly unknown[]) => void told.push(...changes);
  for (let i = 0; i < 2; i++) {
    await f.runner.run({ ...request, run: { argv: ["true"] } }, { signal, onOutput, onProtectedChange });
  }
  const created = (name: string) => ({ path: `${f.scope}/${name}`, change: "created" });
  assert.deepStrictEqual(told, [created(".vscode"), created(".idea")]);
});

Deno.test("S8 LinuxRunner.open() looks again when a protected path goes while it launches", async () => {
  await using f = await fixture(DEFAULT_WAY);
  await Deno.mkdir(`${f.scope}/.vscode`);
  await Deno.writeTextFile(`${f.scope}/stderr`, "");
  const loop = "while mv .vscode saved && mv saved .vscode; do :; done";
  await using saving = new Deno.Command("bash", { args: ["-c", loop], cwd: f.scope, stderr: "null" }).spawn();
  const request = { directory: f.scope, environment: {}, stderrFile: `${f.scope}/stderr` };
  const hooks = { signal: new AbortController().signal, onOutput: () => {} };
  const ends: CommandEnd[] = [];
  for (let round = 0; round < 8; round++) {
    const opened = await f.runner.open({ ...request, run: { argv: ["cat"] } }, hooks);
    await opened.stdin.close();
    ends.push(await opened.end);
  }
  saving.kill("SIGKILL");
  assert.deepStrictEqual(ends, ends.map(() => exited(0)));
});

Deno.test("S8 LinuxRunner.run() tells with the result what a child changed that the command left behind", async () => {
  await using f = await fixture(DEFAULT_WAY);
  const told: unknown[] = [];
  using stack = new DisposableStack();
  const shell = "mkfifo go; { read word; mkdir .vscode; } <>go >/dev/null 2>&1 & echo up";
  await f.runner.run({ run: { shell }, directory: f.scope, environment: {}, stdin: undefined }, {
    signal: new AbortController().signal,
    onOutput: async () => {
      const go = stack.use(await Deno.open(`${f.scope}/go`, { read: true, write: true })); // no opening waits for the other
      await go.write(new TextEncoder().encode("word\n"));
    },
    onProtectedChange: (changes) => void told.push(...changes),
  });
  assert.deepStrictEqual(told, [{ path: `${f.scope}/.vscode`, change: "created" }]);
});
