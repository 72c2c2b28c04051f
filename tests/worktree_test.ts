/** A linked worktree, or a submodule, as the scope: git fails there, the log and the result say what it needs, and that is enough. */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { ORDINARY_ID, type User, Workbench } from "./_support/workbench.ts";

const COMMIT = "git -c user.name=Test -c user.email=test@example.invalid commit -q --allow-empty -m";

interface Kind {
  readonly name: string;
  /** Below the directory of the main repository, or of the bench's scope. */
  readonly tree: (bench: Workbench, main: string) => string;
  /** In the main repository, which has a commit. */
  readonly make: (tree: string) => string;
  /** Its repository, seen from the main one. */
  readonly repository: string;
}

/** What the result of a line and the log say. */
interface Told {
  readonly text: string;
  readonly flags: readonly (readonly string[])[] | undefined;
  readonly warned: boolean;
}

const KINDS: readonly Kind[] = [
  {
    name: "worktree",
    tree: ({ scope }) => `${scope}/tree`,
    make: (tree) => `git worktree add -q '${tree}'`,
    repository: ".git",
  },
  {
    name: "submodule",
    tree: (_, main) => `${main}/lib/part`,
    make: () =>
      `git clone -q --bare . ../part && git -c protocol.file.allow=always submodule add -q "$PWD/../part" lib/part`,
    repository: ".git/modules/lib/part",
  },
];

for (const kind of KINDS) {
  Deno.test(`S4 S15 with a ${kind.name} of git as the scope, the result says what it needs`, () =>
    tell("ordinary", kind));
}

async function tell(user: User, { tree: treeOf, make, repository: at }: Kind): Promise<void> {
  using bench = new Workbench(user);
  const main = `${bench.elsewhere}/main`;
  const [tree, repository] = [treeOf(bench, main), `${main}/${at}`];
  const made = await new Deno.Command("sh", {
    args: ["-c", `git init -q '${main}' && cd '${main}' && ${COMMIT} one && ${make(tree)}`],
    env: { GIT_CONFIG_GLOBAL: "/dev/null" },
  }).output();
  assert.ok(made.success, new TextDecoder().decode(made.stderr));
  if (user === "ordinary" && Deno.uid() === 0) {
    await new Deno.Command("chown", { args: ["-R", `${ORDINARY_ID}:${ORDINARY_ID}`, main, tree] }).output();
  }
  const scope = ["--sandbox-scope", tree, "--log-to-stderr"];
  const advice = `--write ${repository}`;
  const told = async (flags: readonly string[], ...lines: readonly string[]) => {
    await using server = await ServerProcess.start(bench, { flags: [...scope, ...flags] });
    const seen: Told[] = [];
    for (const line of lines) {
      const { text, result } = await server.shell(line);
      const meta = result._meta as Readonly<Record<string, unknown>> | undefined; // the server's own format
      const denied = meta?.["ahma/sandbox_denied"] as readonly { readonly flags: readonly string[] }[] | undefined;
      seen.push({ text, flags: denied?.map((one) => one.flags), warned: server.stderr.includes(advice) });
    }
    return seen;
  };
  const [closed] = await told([], "git status");
  assert.deepStrictEqual([closed?.flags, closed?.warned], [[[advice]], true], closed?.text);
  const [readable] = await told(["--read", `${repository}`], `git status -s && ${COMMIT} two`);
  assert.deepStrictEqual([readable?.flags, readable?.warned], [[[advice]], true], readable?.text);
  const lines = [`${COMMIT} two && git log --format='logged %s'`, `echo x > ${repository}/hooks/pre-commit`];
  const [open, hook] = await told(["--write", `${repository}`], ...lines);
  assert.deepStrictEqual([open?.flags, open?.warned], [undefined, false], open?.text);
  assert.match(open?.text ?? "", /^logged two$/m);
  assert.deepStrictEqual(hook?.flags, [[`--allow-protected ${repository}/hooks`]], hook?.text);
}
