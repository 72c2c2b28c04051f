/** S24: repositories that are set aside go on working in commands, and come back by a person's word. */
import assert from "node:assert/strict";
import { asUser } from "./attacks/means/as_user.ts";
import { until } from "./_support/deadline.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, usersAtHand, Workbench } from "./_support/workbench.ts";

const IDENTITY =
  "export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=n@e.invalid GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=n@e.invalid";
const HOOKED =
  "git init -q hooked && cd hooked && git commit -q --allow-empty -m s && printf '#!/bin/sh\\necho hook\\n' > .git/hooks/post-commit && chmod +x .git/hooks/post-commit";

/** What a shell line of the user's own prints, on both streams. */
async function outside({ user, home, scope }: Workbench, line: string): Promise<string> {
  const [program = "", ...args] = asUser(user, ["bash", "-c", `${IDENTITY}; exec 2>&1; ${line}`]);
  const env = { PATH: Deno.env.get("PATH") ?? "", HOME: home };
  const { stdout } = await new Deno.Command(program, { args, cwd: scope, clearEnv: true, env }).output();
  return new TextDecoder().decode(stdout);
}

async function start(bench: Workbench): Promise<ServerProcess> {
  await outside(bench, "git init -q -b main . && git commit -q --allow-empty -m 1 && git clone -q --bare . ../ext.git");
  await outside(bench, "mv ../ext.git . && git config --global advice.addEmbeddedRepo false");
  return await ServerProcess.start(bench);
}

async function shell(server: ServerProcess, line: string): Promise<string> {
  return (await server.shell(`${IDENTITY}; ${line}`)).text;
}

Deno.test("S24 commands of later sessions change and remove what was set aside with and without a repository above", async () => {
  using bench = new Workbench("ordinary");
  const trees = ["with", "without"].map((name) => `${bench.scope}/${name}`);
  await outside(bench, "git init -q -b main . && mkdir with without && cd with && git init -q");
  const make =
    "git init -q led && git -C led config core.pager evil && git init -q --bare bare && git -C bare config core.pager evil";
  const change =
    "for one in led bare; do git -C $one config core.pager less && git -C $one config core.pager; : > $(git -C $one rev-parse --absolute-git-dir)/hooks/update; done; rm -rf led bare && ls";
  const flags = trees.flatMap((tree) => ["--sandbox-scope", tree]);
  using other = new Workbench("ordinary");
  {
    await using first = await ServerProcess.start(other, { flags });
    for (const tree of trees) assert.match(await shell(first, `cd ${tree} && ${make}`), /^\[Set aside: /m);
  }
  await using second = await ServerProcess.start(other, { flags });
  for (const tree of trees) {
    const changed = await shell(second, `cd ${tree} && { ${change}; } 2>&1`);
    assert.match(changed, /^less\nless\n(?:\[|$)/, changed);
  }
});

Deno.test("S24 a command that ran beside the one whose repository was set aside reports only other changes", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  await shell(server, "git init -q . && git commit -q --allow-empty -m s; mkfifo go");
  const { text } = await server.shell("read < go", { execution_mode: "AsyncResultPush" });
  assert.match(
    await shell(server, "mkdir .git/rebase-merge && echo x true > .git/rebase-merge/git-rebase-todo; echo > .envrc"),
    /^\[Set aside: "\S+\/\.git" \(rebase-merge\)\./m,
  );
  await outside(bench, "echo > go");
  const beside = (await server.call("await", { operation_id: /op_\w+/.exec(text)?.[0] })).text;
  assert.deepStrictEqual(
    [...beside.matchAll(/"([^"]+)" (created|changed|removed)/g)].map(([, path, change]) => `${path} ${change}`),
    [`${bench.scope}/.envrc created`],
    beside,
  );
});

/** A repository that makes git outside run a program, without the entries that git looks for first. */
const EVIL =
  "mkdir -p made/objects && touch made/objects/x && echo 'ref: refs/heads/main' > made/HEAD && printf '[core]\\n\\trepositoryformatversion = 0\\n\\tworktree = .\\n\\tfsmonitor = touch ran\\n' > made/config";

Deno.test("S24 S39 S40 what the user adds while nothing runs stays, and what an apply or an undo puts together is set aside", async (t) => {
  using bench = new Workbench();
  await outside(bench, "git init -q -b main . && git commit -q --allow-empty -m 1");
  {
    const flags = ["--undo", "--preview", "--bundles", "files"];
    await using server = await ServerProcess.start(bench, { flags });
    const step = (name: string, scene: typeof addsTrees) => t.step(name, () => scene(bench, server));
    await step("work trees that the user adds stay, between calls too", addsTrees);
    await step("a repository that an apply or an undo puts together is set aside", putTogether);
    await outside(bench, "git worktree add -q -b last last");
  }
  const added = ["first", "afterWrite", "afterUndo", "last"];
  const isFile = (name: string) => Deno.lstatSync(`${bench.scope}/${name}/.git`).isFile;
  assert.deepStrictEqual([...added, "own"].filter(isFile), added);
});

async function addsTrees(bench: Workbench, server: ServerProcess): Promise<void> {
  const add = (name: string) => outside(bench, `git worktree add -q -b ${name} ${name}`);
  await shell(server, "true");
  await add("first");
  await server.call("files_write", { path: "a", content: "a" });
  await add("afterWrite");
  await server.call("files_write", { path: "a", content: "b" });
  await server.call("changes", {
    operation_id: /op_\w+/.exec((await server.call("changes")).text)?.[0],
    action: "undo",
  });
  await add("afterUndo");
  await server.call("changes");
  assert.match(await shell(server, "git worktree add -q -b own own"), /^\[Set aside: "\S+\/own\/\.git" \(\.git\)\./m);
}

/** Git outside acts on it afterwards. */
async function putTogether(bench: Workbench, server: ServerProcess): Promise<void> {
  const act = async (text: string, action: string) =>
    (await server.call("changes", { operation_id: /op_\w+/.exec(text)?.[0], action })).text;
  const aside = /\[Set aside: "\S+\/made" \(core\.worktree, core\.fsmonitor\)\./;
  const previewed = await server.shell(`mkdir -p made/refs && touch made/refs/x && ${EVIL}`, { preview: true });
  assert.match(await act(previewed.text, "apply"), aside);
  await shell(server, "rm -r made; mkdir -p made/refs && touch made/refs/x");
  const removed = await server.shell("rm -r made/refs");
  assert.doesNotMatch((await server.shell(EVIL)).text, /Set aside/);
  assert.match(await act(removed.text, "undo"), aside);
  await outside(bench, "git -C made status");
  assert.ok(!exists(`${bench.scope}/made/ran`));
  await shell(server, "rm -r made");
}

Deno.test("S24 K5 a repository that a rule's program makes after its check is not taken for the user's", async () => {
  using bench = new Workbench();
  const left = `while [ ! -e go ]; do sleep 0.1; done; mkdir -p made/refs; touch made/refs/x; ${EVIL}; touch done`;
  bench.write("leave.sh", `setsid sh left.sh > /dev/null 2>&1 < /dev/null &\n`);
  bench.write("left.sh", left);
  bench.write("a.txt", "a");
  const engine = 'command: [sh, leave.sh, "{files}"]\nparse: "file:line:col: message"\nfiles: "*.txt"';
  bench.write(".ahma/rules/leave.md", `---\ntitle: Leaves\nseverity: error\nmessage: m\n${engine}\n---\n`);
  await using server = await ServerProcess.start(bench, { flags: ["--bundles", "files,rules"] });
  assert.doesNotMatch((await server.call("rules_check", { rule_names: ["leave"] })).text, /skipped|unknown|Set aside/);
  bench.write("go", "");
  await until(() => exists(`${bench.scope}/done`), 5000, "the program that was left running");
  const { content } = (await server.call("files_write", { path: "b", content: "b" })).result ?? {};
  assert.match(JSON.stringify(content), /Set aside: [^ ]+\/made[^ ]* \(core\.worktree, core\.fsmonitor\)/);
});

/** Without a process of its own the shell waits for `go`, after the mark of its line. */
function later(name: string): string {
  return `mkdir ${name}; cd ${name}; mkfifo go made.now; exec 8<>made.now 9<>go; builtin() { command builtin "$@"; [[ $1 == printf ]] || return 0; unset -f builtin;
  read -u 9; mkdir -p made/refs; ${EVIL}; echo >&8; }`;
}

for (const user of usersAtHand()) {
  const test = sharing(start, user);

  test(`S24 what was set aside is cloned, served, copied and entered like any repository, as ${user}`, async ({ bench, server }) => {
    assert.match(await shell(server, HOOKED.replaceAll("hooked", "aside")), /^\[Set aside: .*aside\/\.git/m);
    const lines = [
      "git clone -q aside by_path && git -C by_path log --format=%s",
      "git clone -q aside/.git by_own && git -C by_own log --format=%s",
      "git clone -q file://$PWD/aside/.git by_url && git -C by_url log --format=%s",
      "cd aside/.git && git log --format=%s",
      "cp -rL aside copied && git -C copied log --format=%s && git -C copied rev-parse --git-common-dir",
      "git -C aside rev-parse --is-inside-work-tree; git -C aside/.git rev-parse --is-inside-work-tree",
    ];
    const printed: string[] = [];
    for (const line of lines) {
      printed.push((await shell(server, `{ ${line}; } 2>&1`)).split("\n[", 1)[0]?.trimEnd() ?? "");
    }
    assert.deepStrictEqual(printed, ["s", "s", "s", "s", "s\n.git", "true\nfalse"]);
    const shut = "git init -q shut && git -C shut config core.pager evil && chmod 0200 shut/.git";
    assert.match(await shell(server, shut), /^\[Set aside: .*shut\/\.git/m);
    // Git outside finds the repository above.
    const store =
      "chmod 700 .git/ahma_mcp/*/git; for one in .git/ahma_mcp/*/git/; do git -C $one rev-parse --git-dir; done | sort -u";
    assert.deepStrictEqual(await outside(bench, store), `${bench.scope}/.git\n`);
    assert.match(await shell(server, "rm -rf by_* copied aside shut && echo removed"), /^removed$/m);
  });

  test(`S24 a directory that cannot be watched does not hold up what later commands make, as ${user}`, async ({ server }) => {
    const made = (name: string) => `git init -q ${name} && git -C ${name} config core.fsmonitor evil`;
    assert.match(await shell(server, `${made("closed")} && chmod 0111 closed`), /^\[Set aside: .*closed\/\.git/m);
    await shell(server, `${made("locked/in")}; chmod 0111 locked`);
    for (const name of ["second", "third", "fourth"]) {
      const told = await shell(server, made(name));
      assert.ok(told.includes(`/${name}/.git" (core.fsmonitor)`), `${name}: ${told}`);
    }
  });

  // What the server finds, tells and puts back is the same for each user: the one with fewer rights tries it.
  if (user === "root") continue;

  test("S24 work trees, submodules, clones and bare repositories go on working in commands", async ({ bench, server }) => {
    const steps = [
      [
        "git worktree add -q wt 2>&1 && git -C wt commit -q --allow-empty -m tree",
        "git -C wt log -1 --format=%s && git worktree list | wc -l && git worktree remove wt && git worktree list | wc -l",
        /^tree\n2\n1$/m,
      ],
      [
        "git -c protocol.file.allow=always submodule add -q ./ext.git lib 2>&1; git commit -qm lib",
        "git submodule status && git -C lib commit -q --allow-empty -m below && git status -s && git submodule deinit -f lib",
        /^ [0-9a-f]{40} lib .*\n(?:.*\n)* M lib$/m,
      ],
      [
        "git clone -q ext.git copy 2>&1",
        "git -C copy commit -q --allow-empty -m pushed && git -C copy push -q && git -C ext.git log -1 --format=%s",
        /^pushed$/m,
      ],
      [
        "git init -q --bare store.git && printf '#!/bin/sh\\necho received' > store.git/hooks/post-receive && chmod +x store.git/hooks/post-receive",
        "git push -q ./store.git main 2>&1 && git clone -q -b main store.git again && git -C again log --oneline | wc -l",
        /^remote: received/m,
      ],
    ] as const;
    for (const [first, then, expected] of steps) {
      assert.match(await shell(server, first), /^\[Set aside: /m, first);
      assert.match(await shell(server, then), expected, then);
    }
    assert.match(
      await outside(bench, "cd store.git && git rev-parse --git-dir; git -C ../copy rev-parse --git-dir"),
      /\/scope\/\.git\n.*\/scope\/\.git$/m,
    );
    assert.match(await shell(server, "rm -rf copy again store.git && echo removed"), /^removed$/m);
    assert.doesNotMatch(await outside(bench, "git add -A && git ls-files"), /ahma_mcp/);
  });

  test("S24 accept moves nothing but what was set aside", async ({ bench, server }) => {
    await outside(bench, "mkdir -p ../home/.ahma_mcp/0a1b2c3d-0000-4000-8000-0123456789ab/git");
    await shell(
      server,
      `mkdir -p linked && ln -s /.ahma_mcp${bench.home}/.ahma_mcp/0a1b2c3d-0000-4000-8000-0123456789ab/git linked/.git`,
    );
    const { code, stderr } = await runProgram(bench, ["accept", "--yes", "linked"]);
    assert.deepStrictEqual([code, stderr], [
      1,
      'Cannot accept "linked": nothing is set aside there. ahma_mcp accept lists what is\n',
    ]);
  });

  test("S24 B5 a repository that a shell makes after its line has ended is set aside, told by another command or its own next one", async ({ bench, server }) => {
    for (const name of ["another", "own"]) {
      const session = name;
      assert.strictEqual((await server.shell(later(name), { session })).text, "[no output]");
      await outside(bench, `cd ${name}; echo > go; read -r < made.now`);
      assert.match(
        (await server.shell("true", name === "own" ? { session } : {})).text,
        new RegExp(`^\\[Set aside: "\\S+/${name}/made" \\(core\\.worktree, core\\.fsmonitor\\)\\.`, "m"),
      );
      await outside(bench, `git -C ${name}/made status`);
      assert.ok(!exists(`${bench.scope}/${name}/made/ran`));
      // What a person adds later is a person's only where no shell is left that could have made it.
      await server.shell(`cd ..; rm -r ${name}; exit`, { session });
    }
  });

  test("S24 commands that run find their repository while it is set aside", async ({ bench, server }) => {
    const make =
      "mkdir many; for n in $(seq 12); do git init -q --template= many/$n; git -C many/$n config core.pager evil; done";
    const watch = "until [ -e enough ]; do for n in many/*; do [ -e $n/.git/HEAD ] || echo gone; done; done";
    await shell(server, "mkfifo watching");
    const running = server.shell(`${make}; echo > watching; ${watch}`);
    await outside(bench, "cat watching");
    assert.match(await shell(server, "echo between"), /^\[Set aside: .*many\/.* and 9 more/m);
    await shell(server, ": > enough");
    assert.doesNotMatch((await running).text, /gone/);
  });

  test("S24 L1 accept shows what git would obey, and puts it back for servers that run too", async ({ bench, server }) => {
    const accept = async (...words: readonly string[]) => {
      const { code, stdout, stderr } = await runProgram(bench, ["accept", ...words]);
      return `${code} ${stdout}${stderr}`;
    };
    const path = `${bench.scope}/hooked/.git`;
    assert.match(
      await shell(server, `mkfifo stop; ${HOOKED}; git config core.pager evil`),
      /^\[Set aside: .*\(core\.pager, hooks\/post-commit\)|\(hooks\/post-commit, core\.pager\)/m,
    );
    const listed = await accept();
    assert.ok(listed.includes(`${path}\n`));
    assert.doesNotMatch(listed, /\/ahma_mcp\//);
    const shown = `${path} makes git outside obey\n  core.pager = evil\n  hooks/post-commit\n`;
    assert.deepStrictEqual(
      await accept("hooked"),
      `1 ${shown}Cannot ask without a terminal: give --yes to put it back\n`,
    );
    assert.match(await shell(server, "mkdir led; echo gitdir: ../hooked/.git > led/.git"), /^\[Set aside: .*led/m);
    const ledTo = `${bench.scope}/led/.git`;
    assert.deepStrictEqual(
      await accept("other", "led", "--yes"),
      `1 ${ledTo} makes git outside obey\n  .git = gitdir: ../hooked/.git\nPut back: ${ledTo}\n` +
        'Cannot accept "other": nothing is set aside there. ahma_mcp accept lists what is\n',
    );
    await outside(bench, "rm -r led");
    // A command runs meanwhile: only the record tells the server who put it back.
    const running = server.shell(": < stop");
    assert.deepStrictEqual(await accept("hooked", "--yes"), `0 ${shown}Put back: ${path}\n`);
    assert.doesNotMatch(await shell(server, "touch hooked/x .; git -C hooked config user.name Else"), /Set aside/);
    assert.match(await outside(bench, "cd hooked && git commit -q --allow-empty -m t"), /^hook$/m);
    // Both commands end at once: the result of one of them tells.
    const last = await shell(server, "echo x > hooked/.git/hooks/update; : > stop");
    assert.match(`${last}\n${(await running).text}`, /^\[Set aside: .*hooks\/update/m);
  });

  test("S24 what a second server found between commands is not accepted when commands make it again", async ({ bench, server }) => {
    const make = "rm -rf twice; git init -q twice && git -C twice config core.pager evil";
    using other = new Workbench(user);
    await using second = await ServerProcess.start(other, { flags: ["--sandbox-scope", bench.scope] });
    await second.shell("mkfifo ready go");
    const running = server.shell(`${make}; echo > ready; : < go`);
    await outside(bench, "cat ready");
    await second.shell("echo between");
    const [, first] = await Promise.all([outside(bench, "echo > go"), running]);
    assert.match(first.text, /^\[Set aside: .*twice\/\.git" \(core\.pager\)/m);
    assert.match((await second.shell(make)).text, /^\[Set aside: .*twice\/\.git" \(core\.pager\)/m);
  });

  test("S24 a repository of a hundred parts is told, and git outside finds none of them", async ({ bench, server }) => {
    const make = "git init -q --template= deep && git -C deep config core.pager evil && cd deep/.git/refs";
    const told = await shell(server, `${make}; for i in $(seq 100); do mkdir refs && cd refs; done`);
    assert.match(told, /deep\/\.git" is obeyed by git now/);
    assert.match(
      await outside(bench, "git -C deep config core.pager; git -C deep rev-parse --git-dir"),
      /^\/.*\/scope\/\.git$/m,
    );
    await shell(server, "rm -rf deep");
  });

  test("S24 git outside writes nowhere else through links that commands make", async ({ bench, server }) => {
    const links = [
      ["logs/HEAD", "git commit -q --allow-empty -m logged"],
      ["COMMIT_EDITMSG", "git commit -q --allow-empty -m edited"],
      ["FETCH_HEAD", "git fetch -q ./ext.git"],
      ["logs/refs/heads/a\\377", "git commit -q --allow-empty -m named"],
    ] as const;
    for (const [name, line] of links) {
      const file = `${bench.elsewhere}/${links.findIndex((one) => one[0] === name)}`;
      const make = (own: string, to: string) =>
        `n=$(printf '%b' '${name.replace("\\377", "\\0377")}'); rm -f "${own}/$n"; ln -s ${to} "${own}/$n"`;
      const branch = `git symbolic-ref HEAD "$(printf 'refs/heads/a\\377')"`;
      // A control: without the server git writes there.
      await outside(
        bench,
        `git clone -q ext.git c && (${make("c/.git", file)}; cd c; ${branch}; ${line.replace("./", "../")}); rm -rf c`,
      );
      assert.notEqual(await Deno.readTextFile(file), "", name);
      await Deno.remove(file);
      assert.match(
        await shell(server, `${branch}; ${make(".git", file)}`),
        /was a link by which git outside would write/,
      );
      await outside(bench, line);
      await assert.rejects(Deno.lstat(file), Deno.errors.NotFound);
      await outside(bench, "git symbolic-ref HEAD refs/heads/main");
    }
    // The user's own link stays.
    await outside(bench, "ln -s ../../mine .git/info/sparse-checkout");
    assert.doesNotMatch(await shell(server, "git status; git commit -q --allow-empty -m x"), /was a link/);
    assert.match(await outside(bench, "readlink .git/info/sparse-checkout"), /mine/);
    assert.match(await shell(server, "ln -s /x new && mv -T new .git/info/sparse-checkout"), /was a link/);
  });
}
