/** S40: a call may run on a copy-on-write view of the scope; what it would have changed is told, and applied later. */
import assert from "node:assert/strict";
import { asUser } from "./attacks/means/as_user.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { exists, Workbench } from "./_support/workbench.ts";

const PROJECT = `mkdir -p src/deep/er empty old && for i in $(seq 8); do echo "old $i" > src/$i.txt; done
printf 'bytes' > "$(printf 'src/\\377\\376')" && echo x > "$(printf 'src/two\\nlines')" && ln -s ../x src/link && echo x > x
echo deep > src/deep/er/file && echo a > old/a && ln old/a old/b && mkfifo pipe && git init -q --template= .
chmod 710 empty && chmod 600 src/1.txt && chmod 755 src/2.txt && touch -h -d '2001-02-03 04:05:06.789' src/link src/deep src`;
/** Every kind of change. */
const LINE = `echo new > src/1.txt; rm src/3.txt "$(printf 'src/\\377\\376')"; mv src/deep src/moved; mkdir -p made/in
echo made > made/in/file; ln -sfn ../elsewhere src/link; chmod 700 src/4.txt empty; echo more >> "$(printf 'src/two\\nlines')"
rm -r old; mkdir old; echo again > old/c; echo 5 > src/5.txt; ln src/5.txt src/second; rm x; mkdir x; echo inside > x/y; truncate -s 0 src/6.txt
echo 1 > made/1; ln made/1 made/2; printf '\\0\\1' > made/bytes; rm -r src/moved/er; echo file > src/moved/er`;
/** Names, kinds, modes, links and contents of all but git's, in the order of bytes. */
const STATE = `LC_ALL=C find . -path ./.git -prune -o ! -name . -printf '%p %y %m %n %U %l\\n' | LC_ALL=C sort &&
  find . -path ./.git -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum`;
/** The same with times and git's own. */
const FACTS = `LC_ALL=C find . -printf '%p %y %m %n %T@ %C@ %i %U %l\\n' | LC_ALL=C sort && find . -type f -print0 |
  LC_ALL=C sort -z | xargs -0 sha256sum`;

/** What a line of the user's own prints, in the scope. */
async function own({ user, home, scope }: Workbench, line: string): Promise<string> {
  const [program = "", ...args] = asUser(user, ["bash", "-c", `exec 2>&1; ${line}`]);
  const env = { PATH: Deno.env.get("PATH") ?? "", HOME: home };
  const { stdout } = await new Deno.Command(program, { args, cwd: scope, clearEnv: true, env }).output();
  return new TextDecoder().decode(stdout);
}

/** The operation of the result of a preview. */
function operationOf(text: string): string {
  return /^`?(op_\w+), .* ago, would change /m.exec(text)?.[1] ?? assert.fail(text);
}

async function preview(server: ServerProcess, command: string): Promise<string> {
  return operationOf((await server.shell(command, { preview: true })).text);
}

/** A call that answered before its end. */
async function opened(server: ServerProcess, args: object): Promise<{ readonly id: string; readonly text: string }> {
  const { operation, text } = await server.call("sandboxed_shell", args);
  return { id: operation?.operation_id ?? assert.fail(text), text };
}

async function act(server: ServerProcess, operation_id: string, action: string, more: object = {}): Promise<string> {
  return (await server.call("changes", { operation_id, action, ...more })).text;
}

/** Names in the directories of previews that are kept. */
async function kept(bench: Workbench): Promise<string> {
  return await own(bench, "cd ~/.local/state/ahma/undo/*/previews 2>/dev/null && ls -d */op_* 2>/dev/null | wc -l");
}

/** Tools of the project, one of them a sequence. */
function writeTools(bench: Workbench): void {
  const leaf = (name: string, script: string) => ({ name, argv: ["-c", script], description: name, synchronous: true });
  const work = { name: "work", description: "Works", command: "bash" };
  const subcommand = [leaf("first", "echo 1 > sum"), leaf("second", "cat sum; echo 2 >> sum")];
  const steps = subcommand.map(({ name }) => ({ tool: "work", subcommand: name, description: name }));
  const both = { name: "both", description: "Both", command: "sequence", step_delay_ms: 0, sequence: steps };
  bench.write(".ahma/tools/a.json", JSON.stringify({ ...work, subcommand }));
  bench.write(".ahma/tools/b.json", JSON.stringify(both));
}

/** A preview of every kind of change, told, and applied: then the scope is as that of a bench where the command ran. */
async function equalsRunning(bench: Workbench, server: ServerProcess): Promise<void> {
  using other = new Workbench(bench.user);
  writeTools(other);
  for (const one of [bench, other]) assert.equal(await own(one, PROJECT), "");
  assert.equal(await own(other, LINE), "");
  const before = await own(bench, FACTS);
  const { text } = await server.shell(`${LINE}; cat src/1.txt made/in/file; ls old; mkfifo made/pipe`, {
    preview: true,
  });
  assert.match(text, /^new\nmade\nc\n/);
  for (
    const line of ["M src/1.txt", "D src/3.txt", "A src/moved/", "D src/deep/", "M empty", "M x", "A src/second"]
  ) assert.ok(text.includes(`\n${line}`), `${line}\n${text}`);
  assert.match(text, /^-old 1\n\+new$/m);
  assert.match(text, /^Left out of the preview:\nmade\/pipe: pipes, sockets and devices are left out$/m);
  const operation = operationOf(text);
  assert.match(text, new RegExp(`^Nothing is changed yet\\. \`changes\` ${operation} with action "apply"`, "m"));
  assert.equal(await own(bench, FACTS), before);
  assert.match(
    (await server.call("changes")).text,
    new RegExp(`^${operation} .*  \\[preview\\] sandboxed_shell: echo new`),
  );
  assert.match(await act(server, operation, "show", { paths: ["made"] }), /^A made\/in\/file$/m);
  assert.equal(await own(bench, FACTS), before);
  assert.match(await act(server, operation, "apply"), /^Put \d+ paths in place\./);
  assert.equal(await own(bench, STATE), await own(other, STATE));
  assert.match(await act(server, operation, "apply"), /no preview of that operation is kept/);
  assert.equal(await kept(bench), "0\n");
}

/** Beginning with the tree that `equalsRunning` began with. */
async function overwritesNothing(bench: Workbench, server: ServerProcess): Promise<void> {
  const before = await own(bench, STATE);
  const operation = await preview(server, LINE);
  await own(bench, "echo mine > src/3.txt; echo mine > src/deep/mine");
  const since = await own(bench, FACTS);
  const refused = await server.call("changes", { operation_id: operation, action: "apply" });
  assert.ok(refused.isError);
  assert.match(
    refused.text,
    /^Cannot apply op_\w+, so nothing was changed:\nsrc\/3\.txt: it is not as the preview saw it\nsrc\/deep\/mine: it is/,
  );
  assert.equal(await own(bench, FACTS), since);
  assert.match(await act(server, operation, "apply", { paths: ["made", "nothing"] }), /^"nothing" is not one of its/);
  assert.equal(await own(bench, FACTS), since);
  assert.match(
    await act(server, operation, "apply", { paths: ["made", "src/1.txt"] }),
    /^Put 7 paths in place\. Undo/,
  );
  assert.equal(await own(bench, "cat src/1.txt made/in/file src/3.txt"), "new\nmade\nmine\n");
  assert.match(await act(server, operation, "drop"), /^Dropped preview/);
  assert.equal(await kept(bench), "0\n");
  await own(bench, "rm -r made src/deep/mine; echo 'old 1' > src/1.txt; echo 'old 3' > src/3.txt");
  assert.equal(await own(bench, STATE), before);
  const applied = await act(server, await preview(server, LINE), "apply");
  const [, undo = ""] = /^Put \d+ paths in place\. Undo of this: `changes` (op_\w+)\.$/.exec(applied) ?? [];
  assert.notEqual(await own(bench, STATE), before);
  assert.match((await server.call("changes", { operation_id: undo })).text, /apply of op_/);
  assert.match(await act(server, undo, "undo"), /^Put back \d+ paths\./);
  assert.equal(await own(bench, STATE), before);
}

async function whileItRan(bench: Workbench, server: ServerProcess): Promise<void> {
  await own(bench, "echo a > a; echo b > b");
  const command = "echo new > a; echo new > b; echo written; read -r line; echo $line";
  const { id, text: begun } = await opened(server, { command, input: true, preview: true, until: "written" });
  await own(bench, "echo mine > a");
  const { text } = await server.call("send", { id, text: "end\n" });
  assert.match(begun, /^> written$/m);
  assert.match(text, /^end$/m);
  assert.match(text, /^a: it was changed while the command ran/m);
  const operation = operationOf(text);
  assert.match(await act(server, operation, "apply"), /so nothing was changed:\na: /);
  assert.equal(await own(bench, "cat a b"), "mine\nb\n");
  assert.match(await act(server, operation, "apply", { paths: ["b"] }), /^Put 1 path in place\.$/);
  assert.equal(await own(bench, "cat a b"), "mine\nnew\n");
}

async function leafAndSequence(bench: Workbench, server: ServerProcess): Promise<void> {
  const { text } = await server.call("both", { preview: true });
  assert.match(text, /^1$/m);
  assert.ok(!exists(`${bench.scope}/sum`));
  await act(server, operationOf(text), "apply");
  assert.equal(await own(bench, "cat sum"), "1\n2\n");
  assert.match((await server.call("work_first", { preview: true })).text, /would change 1 M: work_first: /);
  assert.doesNotMatch((await server.call("work_first")).text, /would/);
  assert.equal(await own(bench, "cat sum"), "1\n");
}

async function sessionsAndLongLists(bench: Workbench, server: ServerProcess): Promise<void> {
  assert.match(
    (await server.shell("touch ran", { preview: true, session: "a" })).text,
    /"preview" cannot be given with/,
  );
  assert.ok(!exists(`${bench.scope}/ran`));
  assert.match((await server.shell("touch ran; echo done", { preview: true })).text, /^done\n.*would change 1 A/s);
  const many = "for i in {1..60}; do echo $i > f$i; done";
  await server.shell(many);
  const { text } = await server.shell(`${many.replace("$i >", "-$i >")}; echo output`, { preview: true });
  assert.match(text, /^output\n.*would change 60 M.*\[30 more paths\].*the diff is longer: name paths/s);
  assert.ok(!exists(`${bench.scope}/ran`));
}

// The view of root is mounted in another way than that of others, who need a user namespace for it.
Deno.test("S40 with --undo an apply overwrites no later change and can be undone, as ordinary", async (t) => {
  using bench = new Workbench("ordinary");
  writeTools(bench);
  await using server = await ServerProcess.start(bench, { flags: ["--preview", "--undo", "--sync"] });
  await t.step("a preview changes nothing, and applying it equals running the command", async () => {
    await equalsRunning(bench, server);
  });
  await t.step("an apply overwrites no later change, and an apply can be undone", async () => {
    await own(bench, "rm -rf * .git");
    assert.equal(await own(bench, PROJECT), "");
    await overwritesNothing(bench, server);
  });
});

/** What is mounted in the scope is not in the view, and nothing of it is changed. */
async function leavesMounts(bench: Workbench, server: ServerProcess): Promise<void> {
  const before = await kept(bench);
  const { text } = await server.shell("ls m n; rmdir m n; mkdir m; touch m/x; echo b > a", { preview: true });
  assert.match(text, /^m: another file system is mounted there$/m);
  assert.match(await act(server, operationOf(text), "apply"), /^Put 1 path in place\.$/);
  assert.match((await server.shell("cat m/kept n/kept a; ls m")).text, /^kept\nkept\nb\nkept\n/);
  assert.equal(await kept(bench), before);
}

async function bounded(server: ServerProcess): Promise<void> {
  const { text } = await server.shell(
    "for i in $(seq 1000); do head -c 1M /dev/zero > $i; sleep 0.1; done; echo whole",
    { preview: true },
  );
  assert.match(text, /Preview: it was ended and dropped, because previews may keep 3145728 bytes \(--preview-most\)/);
  assert.doesNotMatch(text, /^whole/m);
  const { text: large } = await server.shell("head -c 5M /dev/zero > large; stat -c %s large", { preview: true });
  assert.match(large, /^3145728$/m);
  assert.match(
    (await server.shell("true", { preview: true })).text,
    /Cannot preview: Cannot preview|Cannot preview: \d+/,
  );
}

/** Writes 40 files, removes 10, and makes 10 in new directories. */
const MANY =
  "for i in {1..40}; do echo new-$i > f$i; done; rm g*; mkdir -p n{1..10}/m; for i in {1..10}; do echo $i > n$i/m/x; done";
const MAKE =
  "rm -rf *; for i in {1..40}; do echo old-$i > f$i; done; for i in {1..10}; do echo g-$i > g$i; done; mkdir m n";
const MOST_KILLS = 12;

async function killed(server: ServerProcess): Promise<void> {
  server.kill("SIGKILL");
  await server.exit();
  await server.closeInput();
}

/** Kills the server while it applies a preview; whether it had not answered, and the preview. */
async function killedInApply(bench: Workbench, server: ServerProcess) {
  const operation = await preview(server, MANY);
  const watcher = Deno.watchFs(bench.scope, { recursive: false });
  const applying = server.call("changes", { operation_id: operation, action: "apply" }).then(() => false, () => true)
    .finally(() => watcher.close());
  let left = Math.floor(Math.random() * 40);
  for await (const { paths } of watcher) {
    left -= paths.length;
    if (left < 0) break;
  }
  await killed(server);
  return { operation, interrupted: await applying };
}

/** Whether the tests may mount; then `MOUNTED` starts a server in whose scope other file systems are mounted. */
const CAN_MOUNT = Deno.uid() === 0;
const MOUNT = 'for one in m n; do mount -t tmpfs none $one && echo kept > $one/kept; done && exec "$@"';
const MOUNTED = CAN_MOUNT ? { prefix: ["unshare", "--mount", "sh", "-c", MOUNT, "sh"] } : {};

/** Applies the preview of a server that was killed, then kills servers until an apply was interrupted. */
async function outlivesKills(t: Deno.TestContext, bench: Workbench, first: string): Promise<void> {
  using other = new Workbench();
  writeTools(other);
  await own(other, `${MAKE}; ${MANY}`);
  const wanted = await own(other, STATE);
  let operation = first;
  let interrupted = 0;
  for (let kills = 0;; kills++) {
    await using server = await ServerProcess.start(bench, {
      ...kills === 0 && MOUNTED,
      flags: ["--preview", "--preview-most", "3M", "--sync"],
    });
    const text = await act(server, operation, "apply");
    assert.match(
      text,
      kills === 0 ? /^Put \d+ paths in place/ : /^Put \d+ paths? in place|no preview of that operation is kept/,
    );
    assert.equal(await own(bench, STATE), wanted, text);
    if (kills === 0) {
      await t.step({
        name: `what is mounted in the scope is not in the view${CAN_MOUNT ? "" : " (ignored: needs root)"}`,
        ignore: !CAN_MOUNT,
        fn: () => leavesMounts(bench, server),
      });
    } else if (interrupted > 0 || kills === MOST_KILLS) {
      await t.step("previews are bounded", () => bounded(server));
      break;
    }
    await own(bench, MAKE);
    const last = await killedInApply(bench, server);
    operation = last.operation;
    if (last.interrupted) interrupted++;
    await server.nothingLeft();
    const states = await own(bench, "cat f*; find g* n?* -type f 2>/dev/null | xargs -r cat");
    assert.match(states, /^(?:(?:old|new|g)-\d+\n|\d+\n)*$/);
    assert.equal(await own(bench, "cat f* | wc -l"), "40\n");
  }
  assert.equal(await kept(bench), "0\n", "previews end with a server that ends in order");
  assert.ok(interrupted > 0, `none of ${MOST_KILLS} applies was interrupted`);
}

Deno.test("S40 what a preview says is what an apply does, it overwrites no change made meanwhile, is bounded and leaves mounts alone, leaves and sequences have previews, and servers killed in an apply leave each path in one of two states", async (t) => {
  using bench = new Workbench();
  writeTools(bench);
  let operation = "";
  {
    await using server = await ServerProcess.start(bench, { flags: ["--preview", "--sync"] });
    const step = async (name: string, scene: typeof equalsRunning) =>
      await t.step(name, async () => await scene(bench, server));
    await step(
      `a preview changes nothing, and applying it equals running the command, as ${bench.user}`,
      equalsRunning,
    );
    await step("an apply does not overwrite changes that others made while the command ran", whileItRan);
    await step("a leaf and a sequence can be previewed, each in one view", leafAndSequence);
    await step("a named shell has no preview, and a long list is shortened", sessionsAndLongLists);
    await own(bench, MAKE);
    operation = await preview(server, MANY);
    await killed(server);
  }
  await t.step(
    "a preview outlives a killed server, and an apply killed at random moments is ended by another",
    async (t) => await outlivesKills(t, bench, operation),
  );
});
