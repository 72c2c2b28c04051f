/**
 * Git's configuration between commands and git outside (S24): commands change a copy, and what is harmless arrives. All
 * steps are those that people and agents take; what git does outside afterwards is asked of git outside.
 */
import assert from "node:assert/strict";
import type { ProtectedChange } from "../src/base/command/protected_change.ts";
import { words } from "../src/base/text.ts";
import { asUser } from "./attacks/means/as_user.ts";
import type { ToolAnswer } from "./_support/json_rpc.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { usersAtHand, type Workbench } from "./_support/workbench.ts";

/** What git's documentation says runs a program, names a file that is read, or leads a push elsewhere. */
const DANGEROUS = words(
  "alias.x browser.x.cmd branch.main.pushremote core.alternaterefscommand core.askpass core.attributesfile core.editor " +
    "core.excludesfile core.fsmonitor core.gitproxy core.hookspath core.pager core.sshcommand core.worktree " +
    "credential.helper credential.https://a.invalid.helper diff.external diff.x.command diff.x.textconv " +
    "difftool.x.cmd extensions.worktreeconfig filter.x.clean filter.x.process filter.x.smudge gpg.program " +
    "gpg.ssh.defaultkeycommand guitool.x.cmd http.proxy http.sslverify include.path includeif.gitdir:/.path " +
    "init.templatedir interactive.difffilter lfs.customtransfer.x.path man.x.cmd merge.x.driver mergetool.x.cmd " +
    "pager.log protocol.ext.allow receive.denycurrentbranch remote.origin.proxy remote.origin.pushurl " +
    "remote.origin.receivepack remote.origin.uploadpack remote.origin.vcs remote.pushdefault sendemail.smtpserver " +
    "sequence.editor submodule.x.update tar.x.command trailer.x.cmd uploadpack.packobjectshook " +
    "url.https://evil.invalid/.insteadof url.https://evil.invalid/.pushinsteadof",
);

/** A repository with a remote, and a server whose scope it is. */
async function start(bench: Workbench): Promise<ServerProcess> {
  const server = await ServerProcess.start(bench);
  await outside(bench, "git init -q -b main . && git config user.name T && git config user.email t@e.invalid");
  await outside(bench, "git commit -q --allow-empty -m 1 && git init -q -b main --bare bare.git");
  await outside(bench, "git remote add origin ./bare.git && git push -q -u origin main && git branch kept");
  return server;
}

/** What a shell line of the user's own prints. @throws {Error} When it fails. */
async function outside(bench: Workbench, line: string): Promise<string> {
  const [program = "", ...args] = asUser(bench.user, ["/bin/sh", "-c", line]);
  const env = { PATH: Deno.env.get("PATH") ?? "", HOME: bench.home };
  const run = new Deno.Command(program, { args, cwd: bench.scope, clearEnv: true, env });
  const { success, stdout, stderr } = await run.output();
  const text = new TextDecoder().decode(stdout);
  assert.ok(success, `${line}: ${text}${new TextDecoder().decode(stderr)}`);
  return text;
}

/** Keys that a result says were not taken over. */
function notKept({ text }: ToolAnswer): readonly string[] {
  const keys = /^\[For this session only, not in "[^"]*": (.*)\. Git would obey it outside/m.exec(text)?.[1];
  return keys?.split(", ") ?? [];
}

/** What a result says of protected paths. */
function changesOf({ result: { _meta: meta } }: ToolAnswer): readonly ProtectedChange[] {
  return (meta as { readonly "ahma/protected_changed"?: readonly ProtectedChange[] })["ahma/protected_changed"] ?? [];
}

for (const user of usersAtHand()) {
  const test = sharing(start, user);

  test(`S24 git's everyday steps work, and git outside sees what they set up, as ${user}`, async ({ bench, server }) => {
    await outside(bench, "git config core.hooksPath own-hooks");
    const before = await outside(bench, "git config --local --list");
    const line = [
      "git checkout -q -b topic origin/main && git commit -q --allow-empty -s -m 2 && git push -q -u origin topic",
      "git switch -q -c other --track origin/main && git branch -m other renamed && git branch -D -q kept",
      "git remote add up https://host.invalid/x.git && git config user.name Else && git branch -u origin/main topic",
      "git -c protocol.file.allow=always -c url.$PWD/.insteadOf=https://host.invalid/ submodule add -q " +
      "https://host.invalid/bare.git lib && git config pull.rebase true && echo all",
    ].join(" && ");
    const answer = await server.shell(line);
    assert.match(answer.text, /^all$/m);
    assert.deepStrictEqual(notKept(answer), []);
    const added = (await outside(bench, "git config --local --list")).split("\n")
      .filter((entry) => !before.includes(entry)).toSorted();
    assert.deepStrictEqual(added, [
      "branch.renamed.merge=refs/heads/main",
      "branch.renamed.remote=origin",
      "branch.topic.merge=refs/heads/main",
      "branch.topic.remote=origin",
      "pull.rebase=true",
      "remote.up.fetch=+refs/heads/*:refs/remotes/up/*",
      "remote.up.url=https://host.invalid/x.git",
      "submodule.lib.active=true",
      "submodule.lib.url=https://host.invalid/bare.git",
      "user.name=Else",
    ]);
    assert.match(await outside(bench, "git status -sb"), /^## renamed\.\.\.origin\/main/);
    assert.deepStrictEqual((await outside(bench, "ls .git/*.lock 2>/dev/null | wc -l")).trim(), "0");
  });

  test(`S8 a remote that git finds in a file of its own is told, as ${user}`, async ({ bench, server }) => {
    const answer = await server.shell("mkdir -p .git/remotes; echo URL: $PWD/x > .git/remotes/origin");
    assert.deepStrictEqual(changesOf(answer), [{ path: `${bench.scope}/.git/remotes/origin`, change: "created" }]);
    assert.match((await server.shell("rm .git/remotes/origin")).text, /Device or resource busy/);
    await outside(bench, "rm -r .git/remotes");
  });

  // What the server takes over of a configuration is the same for each user: the one with fewer rights tries it.
  if (user === "root") continue;

  test("S24 S21 nothing that git would run, read or send to arrives, and each key is told", async ({ bench, server }) => {
    const before = await outside(bench, "cat .git/config");
    const set = DANGEROUS.map((key) => `git config --file $C '${key}' evil`).join("; ");
    const answer = await server.shell(`C=$(readlink .git/config); cd $TMPDIR; ${set}; cat $C`);
    assert.match(answer.text, /evil/, "the command reads what it set");
    assert.deepStrictEqual(await outside(bench, "cat .git/config"), before);
    const [told] = changesOf(answer);
    assert.deepStrictEqual({ ...told, keys: told?.keys?.toSorted() }, {
      path: `${bench.scope}/.git/config`,
      change: "not_kept",
      keys: DANGEROUS.toSorted(),
    });
  });

  test("S24 whatever becomes of the copy, the file stays, and the next command reads it", async ({ bench, server }) => {
    const before = await outside(bench, "cat .git/config");
    const copy = "$(readlink .git/config)";
    for (
      const line of [
        `rm ${copy}`,
        `rm -rf $(dirname ${copy}); mkdir -p $TMPDIR/x; ln -s $TMPDIR/x $(dirname ${copy})`,
        `ln -sf /etc/passwd ${copy}`,
        `rm ${copy}; mkfifo ${copy}`,
        `head -c 3000000 /dev/zero > ${copy}`,
        `echo '[core' > ${copy}`,
        `python3 -c "print('[alias]'); [print(f' a{i} = !evil') for i in range(9000)]" >> ${copy}`,
        `python3 -c "[print(f'[branch \\"b{i}\\"]\\n remote = origin') for i in range(900)]" >> ${copy}`,
        "rm -f .git/config; mv .git gone; : > .git/config.lock",
      ]
    ) {
      await server.shell(line);
      assert.deepStrictEqual([line, await outside(bench, "cat .git/config")], [line, before]);
      await outside(bench, "rm -f .git/config.lock && git config own.at now && git config --remove-section own");
      assert.match((await server.shell("git config user.email")).text, /^t@e\.invalid$/m, line);
    }
  });

  test("S24 commands see at once what others change", async ({ bench, server }) => {
    await outside(bench, "git config x.y outside");
    assert.match((await server.shell("git config x.y")).text, /^outside$/m);
    await outside(bench, "git config --unset x.y");
    assert.match((await server.shell("git config x.y; echo none")).text, /^none$/m);
  });

  test("S24 a repository that a command makes stays where it is plain, and the user sees it", async ({ bench, server }) => {
    const made = await server.shell(
      "git -c url.$PWD/.insteadOf=https://host.invalid/ clone -q --no-tags https://host.invalid/bare.git own && cd own && " +
        "git switch -q -c topic && git config pull.rebase true && cd .. && git add own",
    );
    assert.deepStrictEqual(changesOf(made), []);
    const own = async () => (await outside(bench, "git -C own config --local --list")).trimEnd().split("\n").toSorted();
    assert.deepStrictEqual(await own(), [
      "branch.main.merge=refs/heads/main",
      "branch.main.remote=origin",
      "core.bare=false",
      "core.filemode=true",
      "core.logallrefupdates=true",
      "core.repositoryformatversion=0",
      "pull.rebase=true",
      "remote.origin.fetch=+refs/heads/*:refs/remotes/origin/*",
      "remote.origin.tagopt=--no-tags",
      "remote.origin.url=https://host.invalid/bare.git",
    ]);
    // What the user sets while no command runs is the user's, whatever commands set later.
    await outside(bench, "git -C own config core.pager less && git -C own config core.editor nano");
    assert.deepStrictEqual(changesOf(await server.shell("git -C own config user.name Else")), []);
    const set = await server.shell("git -C own config core.pager evil");
    assert.deepStrictEqual(changesOf(set), [{
      path: `${bench.scope}/own/.git`,
      change: "set_aside",
      keys: ["core.pager"],
    }]);
    assert.match((await server.shell("git -C own branch")).text, /^\* topic$/m);
    assert.match((await server.shell("rm -rf own && git rm -q --cached own && echo gone")).text, /^gone$/m);
  });

  test("S24 S21 what the user's configuration names in a repository that appeared is told, and is read-only then", async ({ bench, server }) => {
    await outside(bench, "git config --global core.hooksPath gh; git config --global core.fsmonitor tools/monitor");
    const trap = (name: string) =>
      `mkdir -p ${name}/gh && printf '#!/bin/sh\necho x > ${bench.elsewhere}/hook\n' > ${name}/gh/pre-commit && ` +
      `chmod +x ${name}/gh/pre-commit`;
    const hooks = (name: string) => ({ path: `${bench.scope}/${name}/gh`, change: "obeyed" });
    try {
      const once = await server.shell(`git init -q -b main once && ${trap("once")}`);
      assert.deepStrictEqual(changesOf(once), [hooks("once")]);
      assert.match((await server.shell("echo >> once/gh/pre-commit")).text, /Read-only file system/);
      assert.deepStrictEqual(changesOf(await server.shell("git init -q -b main later")), []);
      assert.deepStrictEqual(changesOf(await server.shell(trap("later"))), [{ ...hooks("later"), change: "created" }]);
      const monitor = await server.shell("mkdir later/tools && echo > later/tools/monitor");
      assert.deepStrictEqual(changesOf(monitor), [{ path: `${bench.scope}/later/tools/monitor`, change: "created" }]);
      // A repository that the user makes meanwhile, and one more than git is asked about.
      await outside(bench, "git init -q -b main users && mkdir users/gh");
      assert.match((await server.shell("echo > users/gh/pre-commit")).text, /Read-only file system/);
      const many = await server.shell(
        `for n in $(seq 40); do git init -q -b main --template= m$n; done; ${trap("m40")}`,
      );
      assert.deepStrictEqual(changesOf(many), [hooks("m40")]);
      // Control: git outside runs such a hook. Its own configuration stays the commands'.
      await outside(
        bench,
        "git -C once -c core.fsmonitor=false -c user.name=T -c user.email=t@e.invalid commit -q --allow-empty -m x",
      );
      assert.match(await outside(bench, `cat ${bench.elsewhere}/hook`), /x/);
      assert.deepStrictEqual(changesOf(await server.shell("git -C once config user.name Else")), []);
    } finally {
      await outside(bench, "git config --global --unset core.hooksPath; git config --global --unset core.fsmonitor");
    }
  });
}
