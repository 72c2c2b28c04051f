/**
 * Files that programs outside the sandbox obey (S8): those that exist cannot be changed, those that appear are told.
 * Each way is tried with the sandbox by a user in turn: what keeps them is one mount for each path, and both users have
 * it. What the server notices and tells is alike for every user: the one with fewer rights tries it. The control without it runs once: there the owner of the files decides, and each user owns the files of its bench.
 */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import type { ToolAnswer } from "./_support/json_rpc.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { exists, usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

/** What is there before the server starts. */
const PRESENT: Readonly<Record<string, string>> = {
  ".git/config": "[core]\n\tbare = false\n",
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/objects/info/x": "",
  ".git/refs/heads/x": "",
  ".git/hooks/pre-commit": "#!/bin/sh\n",
  ".vscode/settings.json": "{}\n",
  ".idea/workspace.xml": "<x/>\n",
  ".mcp.json": "{}\n",
  ".cursor/mcp.json": "{}\n",
  ".claude/settings.json": "x\n",
  ".envrc": "\n",
  ".husky/pre-commit": "\n",
  ".ahma/tool.json": "{}\n",
  "part/.git/config": "[core]\n",
  "part/.git/hooks/post-checkout": "#!/bin/sh\n",
  "tree/.git": "gitdir: /nowhere\n",
};

/** Ways to change something protected; each must succeed without the sandbox. */
const ATTACKS: Readonly<Record<string, string>> = {
  "a hook is replaced": "echo evil > .git/hooks/pre-commit",
  "a hook is added": "echo evil > .git/hooks/post-merge",
  "a hook is made executable": "chmod 777 .git/hooks/pre-commit",
  "git's configuration is written": "echo '[core] fsmonitor = evil' >> .git/config",
  "git writes its configuration": "git config core.fsmonitor evil",
  "a file is moved over git's configuration": "echo evil > x && mv -f x .git/config",
  "a link replaces the hooks": "rm -rf .git/hooks && ln -s /tmp .git/hooks",
  ".git is exchanged": "mv .git g && cp -r g .git && echo evil > .git/hooks/pre-commit",
  ".git is removed": "rm -rf .git",
  "an editor's task is added": "echo evil > .vscode/tasks.json",
  "an editor's directory is exchanged": "mv .vscode v && mkdir .vscode && echo evil > .vscode/tasks.json",
  "an IDE's file is changed": "echo evil > .idea/workspace.xml",
  "an agent's servers are changed": "echo evil > .mcp.json",
  "an agent's servers are unlinked": "rm -f .mcp.json",
  "another agent's servers are changed": "echo evil > .cursor/mcp.json",
  "an agent's settings are changed": "sed -i s/x/y/ .claude/settings.json",
  "the shell's environment is changed": "echo evil > .envrc",
  "another hook is changed": "echo evil > .husky/pre-commit",
  "a tool is changed": "echo evil > .ahma/tool.json",
  "a tool is added": "echo evil > .ahma/evil.json",
  "a nested repository is changed": "echo evil > part/.git/hooks/post-checkout",
  "a nested repository is exchanged": "mv part p && cp -r p part && echo evil > part/.git/config",
  "a worktree is led elsewhere": "echo 'gitdir: evil' > tree/.git",
  "a background child does it": "setsid --wait sh -c 'echo evil > .mcp.json'",
};

function furnish(bench: Workbench): void {
  for (const [path, text] of Object.entries(PRESENT)) bench.write(path, text);
}

/** Leaves nothing in the scope, as a user outside would. */
function clear(bench: Workbench): void {
  for (const { name } of Deno.readDirSync(bench.scope)) Deno.removeSync(`${bench.scope}/${name}`, { recursive: true });
}

/** Makes what differs from the state as it was, as a user outside would; what was not there goes. */
function putBack(bench: Workbench, before: Readonly<Record<string, string>>): void {
  const now = state(bench);
  const differs = Object.keys({ ...before, ...now }).filter((name) => before[name] !== now[name]).map(topOf);
  const present = Object.keys(PRESENT).map(topOf);
  for (const { name } of Deno.readDirSync(bench.scope)) {
    if (differs.includes(name) || !present.includes(name)) {
      Deno.removeSync(`${bench.scope}/${name}`, { recursive: true });
    }
  }
  for (const [path, text] of Object.entries(PRESENT)) if (!exists(`${bench.scope}/${path}`)) bench.write(path, text);
}

function topOf(path: string): string {
  return path.split("/")[0] ?? path;
}

/** Every protected file with its content and mode. */
function state(bench: Workbench): Readonly<Record<string, string>> {
  const seen: Record<string, string> = {};
  const walk = (path: string) => {
    const { isDirectory, isSymlink, mode } = Deno.lstatSync(path);
    const name = path.slice(bench.scope.length + 1);
    seen[name] = isDirectory ? "directory" : isSymlink ? "link" : `${mode} ${Deno.readTextFileSync(path)}`;
    if (isDirectory) { for (const entry of Deno.readDirSync(path)) walk(`${path}/${entry.name}`); }
  };
  const tops = Object.keys(PRESENT).map((path) => path.split("/").slice(0, path.startsWith("part") ? 2 : 1).join("/"));
  for (const top of new Set(tops)) if (exists(`${bench.scope}/${top}`)) walk(`${bench.scope}/${top}`);
  // What git keeps beside its hooks and configuration is not protected.
  const kept = /^(?:.*\/)?\.git\/(?!hooks|config)/;
  return Object.fromEntries(Object.entries(seen).filter(([name]) => !kept.test(name)));
}

interface Change {
  readonly path: string;
  readonly change: string;
}

/** What the result tells of, with paths seen from the scope. */
function changesOf({ result }: Pick<ToolAnswer, "result">, bench: Workbench): readonly Change[] {
  const meta = result["_meta"] as Readonly<Record<string, unknown>> | undefined; // the server's own format
  const told = (meta?.["ahma/protected_changed"] ?? []) as readonly Change[];
  return told.map(({ path, change }) => ({ path: path.replace(`${bench.scope}/`, ""), change }));
}

Deno.test("S8 S40 the control: without the sandbox each attack changes something protected, and nothing can be previewed", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { flags: ["--no-sandbox", "--preview"] });
  assert.match(
    (await server.shell("touch ran", { preview: true })).text,
    /Cannot preview: there is no sandbox \(--no-sandbox\).*\. Run it without `preview`; `--undo` keeps/,
  );
  assert.ok(!exists(`${bench.scope}/ran`));
  furnish(bench);
  const whole = state(bench);
  for (const [name, attack] of Object.entries(ATTACKS)) {
    putBack(bench, whole);
    assert.deepStrictEqual(state(bench), whole);
    await server.shell(attack);
    assert.notDeepStrictEqual(state(bench), whole, name);
  }
});

for (const user of usersAtHand()) {
  const test = sharing((bench) => {
    furnish(bench);
    return ServerProcess.start(bench);
  }, user);

  test(`S8 nothing protected that exists can be changed, as ${user}`, async ({ bench, server }) => {
    const before = state(bench);
    for (const [[name, attack], tries] of withUsersInTurn(Object.entries(ATTACKS))) {
      if (tries !== user) continue;
      await server.shell(attack);
      assert.deepStrictEqual(state(bench), before, name);
    }
  });

  test(`S8 what is beside protected paths can be changed, as ${user}`, async ({ server }) => {
    const line = "echo x > .git/index && mkdir -p .git/objects/a && mv .git/index .git/other && echo x > .vscoder && " +
      "cat .vscode/settings.json .ahma/tool.json && echo x > part/file && mv part/file tree/ && rm .vscoder && echo done";
    assert.match((await server.shell(line)).text, /^\{\}\n\{\}\ndone$/m);
  });

  test(
    `S8 what the user changes outside is protected in the next command, warm shells included, as ${user}`,
    async ({ bench, server }) => {
      for (let i = 0; i < 2; i++) {
        await server.shell("true");
        await Deno.remove(`${bench.scope}/.git/config`);
        bench.write(".git/config", `[a]\n\tb = ${i}\n`);
        bench.write(`.husky/new-${i}`, "as it was\n");
        await server.shell(`echo evil > .git/config; echo evil > .husky/new-${i}`);
        assert.equal(await Deno.readTextFile(`${bench.scope}/.git/config`), `[a]\n\tb = ${i}\n`);
        assert.equal(await Deno.readTextFile(`${bench.scope}/.husky/new-${i}`), "as it was\n");
      }
    },
  );

  test(
    `S8 a protected path that appears is told with the result, and is read-only from then on, as ${user}`,
    async ({ bench, server }) => {
      clear(bench);
      const answer = await server.shell("mkdir .vscode && echo x > .vscode/tasks.json && echo '{}' > .mcp.json");
      assert.deepStrictEqual(changesOf(answer, bench), [
        { path: ".mcp.json", change: "created" },
        { path: ".vscode", change: "created" },
      ]);
      assert.match(answer.text, /^\[Protected paths changed while this ran: .*\.mcp\.json" created/);
      const next = await server.shell(
        "echo evil > .vscode/tasks.json; echo evil > .mcp.json; rm -rf .mcp.json .vscode",
      );
      assert.deepStrictEqual(changesOf(next, bench), []);
      assert.equal(await Deno.readTextFile(`${bench.scope}/.vscode/tasks.json`), "x\n");
      assert.equal(await Deno.readTextFile(`${bench.scope}/.mcp.json`), "{}\n");
      assert.deepStrictEqual(changesOf(await server.shell("echo nothing special"), bench), []);
    },
  );

  // Whether a launch looks again, and what is told, is decided in the server, which is the same for each user.
  if (user === "root") continue;

  test("S8 a protected file that is saved again and again costs no command", async ({ bench, server }) => {
    clear(bench);
    bench.write(".mcp.json", "{}\n");
    const loop = "while mv .mcp.json saved && mv saved .mcp.json; do :; done";
    const saving = new Deno.Command("bash", { args: ["-c", loop], cwd: bench.scope, stderr: "null" }).spawn();
    try {
      const numbers = Array.from({ length: 10 }, (_, index) => index);
      const answers = await Promise.all(numbers.map((number) => server.shell(`echo $((${number} + 1))`)));
      answers.forEach(({ text }, number) => assert.match(text, new RegExp(`^${number + 1}$`, "m")));
    } finally {
      saving.kill("SIGKILL");
      await saving.status;
    }
  });

  test(
    "S8 it is told too by await, after a time limit, and in a sequence of commands",
    async ({ bench, server }) => {
      clear(bench);
      const started = await server.start("echo x > .envrc");
      const awaited = await server.call("await", {});
      assert.deepStrictEqual(changesOf(awaited, bench), [{ path: ".envrc", change: "created" }], started.text);
      const late = await server.shell("echo x > .mcp.json; sleep 60", { timeout_seconds: 5 });
      assert.deepStrictEqual(changesOf(late, bench), [{ path: ".mcp.json", change: "created" }]);
    },
  );

  test(
    "S8 git works with its hooks and configuration protected, and makes new repositories",
    async ({ bench, server }) => {
      clear(bench);
      const made = await server.shell(
        "git init -q -b main . && git config user.name T && git config user.email t@e.invalid",
      );
      assert.deepStrictEqual(changesOf(made, bench).map(({ path }) => path), [
        ".git/config",
        ".git/hooks",
      ]);
      const line = "set -e; echo 1 > a; git add .; git commit -qm 1; echo 2 >> a; git stash -q; git stash pop -q; " +
        "git diff --stat; git commit -qam 2; git branch b; git switch -q b; git merge -q main; git worktree add -q ../scope/w; " +
        "git gc -q; git clone -q . c; git -C c log --oneline | wc -l; echo done";
      const worked = await server.shell(line);
      assert.match(worked.text, /^2\ndone$/m, worked.text);
    },
  );

  test(
    "S21 a protected file is separated from its hard links, or reported where it cannot be",
    async ({ bench, server }) => {
      clear(bench);
      await Deno.link(bench.write(".husky/hook", "ours\n"), `${bench.scope}/old`);
      await Deno.link(bench.write(".git/config", "[core]\n"), `${bench.scope}/held`);
      bench.write(".git/config.lock", ""); // as git holds it
      const first = await server.shell("echo evil >> old; cat .husky/hook");
      assert.match(first.text, /^ours$/m);
      assert.deepStrictEqual(changesOf(first, bench), [
        { path: ".husky/hook", change: "separated" },
        { path: ".git/config", change: "shared" },
      ]);
      const changed = await server.shell("echo '[a]' >> held");
      assert.deepStrictEqual(changesOf(changed, bench), [{ path: ".git/config", change: "changed" }]);
      assert.deepStrictEqual(changesOf(await server.shell("true"), bench), []);
      const made = await server.shell("echo ours > .mcp.json && chmod 750 .mcp.json && ln .mcp.json keep");
      assert.deepStrictEqual(changesOf(made, bench), [
        { path: ".mcp.json", change: "created" },
        { path: ".mcp.json", change: "separated" },
      ]);
      assert.match(made.text, /\.mcp\.json" had a second name \(hard link\) and is a separate file now/);
      const denied = await server.shell(
        "echo free >> keep; cat keep; ln .mcp.json again; stat -c %a,%h .mcp.json keep",
      );
      assert.match(denied.text, /^ours\nfree\nln: .*\n750,1\n750,1$/m);
      assert.deepStrictEqual(changesOf(denied, bench), []);
      assert.equal(await Deno.readTextFile(`${bench.scope}/.mcp.json`), "ours\n");
    },
  );

  test(
    "S21 a write to a protected file through a removed name is reported",
    async ({ bench, server }) => {
      clear(bench);
      const hook = bench.write(".git/hooks/pre-commit", "ours\n");
      const started = await server.start(
        "until [ -e second ]; do sleep 0.02; done; exec 3<>second; rm second; echo > opened; " +
          "until [ -e go ]; do sleep 0.02; done; echo EVIL >&3; echo > written; sleep 300",
      );
      // Its shell is replaced by then: the next look is that of another command.
      await server.shell("sleep 0.5");
      await Deno.link(hook, `${bench.scope}/second`);
      await until(() => exists(`${bench.scope}/opened`), 20_000, "the command to open it");
      bench.write("go", "");
      await until(() => exists(`${bench.scope}/written`), 20_000, "the command to write it");
      assert.equal(await Deno.readTextFile(hook), "EVIL\n");
      const id = { operation_id: started.operation?.operation_id };
      const told = [await server.call("cancel", id), await server.shell("true")].flatMap((one) =>
        changesOf(one, bench)
      );
      assert.deepStrictEqual(told, [{ path: ".git/hooks", change: "changed" }]);
    },
  );

  test(
    "S21 what a protected link leads to is protected, and the link stays",
    async ({ bench, server }) => {
      clear(bench);
      bench.write("githooks/pre-commit", "ours\n");
      bench.write(".git/config", "[core]\n\trepositoryformatversion = 0\n");
      await Deno.symlink("../githooks", `${bench.scope}/.git/hooks`);
      const made = await server.shell("mkdir -p a/vs && ln -s a/vs .vscode");
      assert.deepStrictEqual(
        changesOf(made, bench),
        [".vscode", "a/vs"].map((path) => ({ path, change: "created" })),
      );
      const attacks = [
        "echo evil > a/vs/tasks.json",
        "echo evil > githooks/pre-commit",
        "rm .vscode",
        "mv a b",
        "ln -sfn githooks .vscode",
        "rm .git/hooks",
        "mv githooks x",
        "mv .vscode x",
      ];
      for (const attack of attacks) {
        const answer = await server.shell(attack);
        assert.deepStrictEqual([changesOf(answer, bench), answer.operation?.exit_code], [[], 1], attack);
      }
      const allowed = await server.shell(
        "echo x > a/file && cat .git/hooks/pre-commit && mkdir c && mv c a/c && echo done",
      );
      assert.match(allowed.text, /^ours\ndone$/m);
    },
  );

  test(
    "S21 a protected directory with too many entries to watch is reported once",
    async ({ bench, server }) => {
      clear(bench);
      // Names of one pipe, because files are dear.
      const names = `python3 -c "import os; [os.link('0', str(at)) for at in range(1, 4200)]"`;
      const made = await server.shell(`mkdir .claude && cd .claude && mkfifo 0 && ${names}`);
      assert.deepStrictEqual(changesOf(made, bench), [
        { path: ".claude", change: "unwatched" },
        { path: ".claude", change: "created" },
      ]);
      assert.match(made.text, /\.claude" holds what cannot be watched: changes of it go unnoticed/);
      assert.deepStrictEqual(changesOf(await server.shell("true"), bench), []);
    },
  );

  Deno.test("S8 --allow-protected opens one, --protect closes more", async () => {
    using bench = new Workbench(user);
    furnish(bench);
    bench.write("ci/deploy/run", "as it was\n");
    const flags = ["--allow-protected", ".git/config", "--protect", "ci/deploy", "--protect", "absent"];
    await using server = await ServerProcess.start(bench, { flags });
    const answer = await server.shell(
      "git config a.b c; echo evil > ci/deploy/run; mv ci x; echo evil > .mcp.json; echo x > absent; echo x > ci/free",
    );
    assert.match(await Deno.readTextFile(`${bench.scope}/.git/config`), /b = c/);
    assert.equal(await Deno.readTextFile(`${bench.scope}/ci/deploy/run`), "as it was\n");
    assert.equal(await Deno.readTextFile(`${bench.scope}/.mcp.json`), "{}\n");
    assert.equal(await Deno.readTextFile(`${bench.scope}/ci/free`), "x\n");
    assert.deepStrictEqual(changesOf(answer, bench), [{ path: "absent", change: "created" }]);
  });
}

Deno.test("S21 a change that one result reported is not reported again by a concurrent check", async () => {
  using bench = new Workbench("ordinary");
  const check = { command: "sh", args: ["-c", "echo > begun; until [ -e go ]; do sleep 0.05; done; echo > over"] };
  bench.write(
    ".ahma/tools/t.json",
    JSON.stringify({
      name: "t",
      description: "Runs. (planted)",
      command: "echo",
      synchronous: true,
      availability_check: check,
    }),
  );
  await using server = await ServerProcess.start(bench);
  await server.request("tools/list");
  await until(() => exists(`${bench.scope}/begun`), 20_000, "the check");
  const made = await server.shell("echo x > .mcp.json");
  assert.deepStrictEqual(changesOf(made, bench), [{ path: ".mcp.json", change: "created" }]);
  const over = await server.shell("echo > go; until [ -e over ]; do sleep 0.05; done");
  await until(async () => !/^Checks/m.test((await server.call("status")).text), 20_000, "the end of the check");
  assert.deepStrictEqual([over, await server.shell("true")].flatMap((one) => changesOf(one, bench)), []);
});
