/** A linked worktree as the scope: git fails there, the log and the result say what it needs, and that is enough. */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { ORDINARY_ID, usersAtHand, Workbench } from "./_support/workbench.ts";

for (const user of usersAtHand()) {
  Deno.test(`S4 S15 a worktree of git as the scope is told what it needs, as ${user}`, async () => {
    using bench = new Workbench(user);
    const [main, tree] = [`${bench.elsewhere}/main`, `${bench.scope}/tree`];
    const commit = "git -c user.name=Test -c user.email=test@example.invalid commit -q --allow-empty -m";
    const made = await new Deno.Command("sh", {
      args: ["-c", `git init -q '${main}' && cd '${main}' && ${commit} one && git worktree add -q '${tree}'`],
      env: { GIT_CONFIG_GLOBAL: "/dev/null" },
    }).output();
    assert.ok(made.success, new TextDecoder().decode(made.stderr));
    if (user === "ordinary" && Deno.uid() === 0) {
      await new Deno.Command("chown", { args: ["-R", `${ORDINARY_ID}:${ORDINARY_ID}`, main, tree] }).output();
    }
    const scope = ["--sandbox-scope", tree, "--log-to-stderr"];
    const advice = `--write ${main}/.git`;
    const told = async (flags: readonly string[], line: string) => {
      await using server = await ServerProcess.start(bench, { flags: [...scope, ...flags] });
      const { text, result } = await server.shell(line);
      const meta = result._meta as Readonly<Record<string, unknown>> | undefined; // the server's own format
      const denied = meta?.["ahma/sandbox_denied"] as readonly { readonly flags: readonly string[] }[] | undefined;
      return { text, flags: denied?.map((one) => one.flags), warned: server.stderr.includes(advice) };
    };
    const closed = await told([], "git status");
    assert.deepStrictEqual([closed.flags, closed.warned], [[[advice]], true], closed.text);
    const readable = await told(["--read", `${main}/.git`], `git status -s && ${commit} two`);
    assert.deepStrictEqual([readable.flags, readable.warned], [[[advice]], true], readable.text);
    const open = await told(["--write", `${main}/.git`], `${commit} two && git log --format='logged %s'`);
    assert.deepStrictEqual([open.flags, open.warned], [undefined, false], open.text);
    assert.match(open.text, /^logged two$/m);
    const hook = await told(["--write", `${main}/.git`], `echo x > ${main}/.git/hooks/pre-commit`);
    assert.deepStrictEqual(hook.flags, [[`--allow-protected ${main}/.git/hooks`]], hook.text);
  });
}
