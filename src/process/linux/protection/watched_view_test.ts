import assert from "node:assert/strict";
import { lookAtGuarded } from "../../../sandbox/protect/path_snapshot.ts";
import type { GuardPlan } from "../../../sandbox/protect/guard_view.ts";
import { Libc } from "../../../system/libc.ts";
import { NoticedWatches } from "../../../system/changes/path_events.ts";
import { WatchedView } from "./watched_view.ts";

/** What may happen to guarded paths between two looks, and whether it calls for another view. */
const EVENTS: Readonly<Record<string, (tree: string) => Promise<unknown>>> = {
  "yes: a protected file is written to": (tree) => Deno.writeTextFile(`${tree}/.git/config`, "x"),
  "yes: one appears": (tree) => Deno.mkdir(`${tree}/.idea`),
  "yes: what a link leads to is exchanged": async (tree) => {
    await Deno.rename(`${tree}/vs`, `${tree}/old`);
    await Deno.mkdir(`${tree}/vs`);
  },
  "yes: a link is": async (tree) => {
    await Deno.remove(`${tree}/.vscode`);
    await Deno.symlink("part", `${tree}/.vscode`);
  },
  "yes: a hook appears": (tree) => Deno.writeTextFile(`${tree}/.git/hooks/pre-commit`, ""),
  "yes: a file deep in a protected directory is written by its second name": (tree) =>
    Deno.writeTextFile(`${tree}/second`, "x"),
  "yes: what a dangling link leads to appears": (tree) => Deno.mkdir(`${tree}/later`),
  "yes: a directory on the way is exchanged": async (tree) => {
    await Deno.rename(`${tree}/.git`, `${tree}/git`);
    await Deno.mkdir(`${tree}/.git`);
  },
  "yes: credentials appear": (tree) => Deno.mkdir(`${tree}/.ssh`),
  "no: git works": (tree) => Deno.writeTextFile(`${tree}/.git/index`, ""),
  "no: something else appears": (tree) => Deno.writeTextFile(`${tree}/part/file`, ""),
};

Deno.test("S8 S21 WatchedView makes another view exactly when something that it depends on changed", async (t) => {
  for (const [name, event] of Object.entries(EVENTS)) {
    await t.step(name, async () => {
      const tree = await Deno.realPath(await Deno.makeTempDir());
      const libc = new Libc();
      try {
        for (const directory of [".git/hooks", "vs", "part"]) {
          await Deno.mkdir(`${tree}/${directory}`, { recursive: true });
        }
        await Deno.writeTextFile(`${tree}/.git/config`, "");
        await Deno.writeTextFile(`${tree}/second`, "");
        await Deno.link(`${tree}/second`, `${tree}/.git/hooks/second`);
        await Deno.symlink("vs", `${tree}/.vscode`);
        await Deno.symlink("later", `${tree}/.husky`);
        const names = [".git/hooks", ".git/config", ".git", ".vscode", ".idea", ".husky"];
        const plan: GuardPlan = {
          protected: names.map((one) => ({ path: `${tree}/${one}`, tree, fileOnly: one === ".git" })),
          trees: [{ path: tree, ...libc.identityOf(tree) ?? assert.fail("no tree") }],
          open: [],
          hidden: [{ path: `${tree}/.ssh`, tree }],
          home: undefined,
          git: undefined,
          covers: { directory: "/empty", file: "/nothing" },
        };
        using watches = new NoticedWatches((paths, kind) => libc.watch(paths, kind));
        const watched = new WatchedView(() => lookAtGuarded(plan, libc, { mounted: true }), watches);
        const first = watched.look();
        assert.strictEqual(watched.look(), first);
        await event(tree);
        const second = watched.look();
        assert.deepStrictEqual(second !== first, name.startsWith("yes"));
        assert.strictEqual(watched.look(), second);
      } finally {
        libc[Symbol.dispose]();
        await Deno.remove(tree, { recursive: true });
      }
    });
  }
});
