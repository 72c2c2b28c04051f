import assert from "node:assert/strict";
import { type GuardPlan, lookAtGuarded, protectedChanges } from "./guard.ts";
import { Libc } from "./libc.ts";

const MOUNTED = { mounted: true };
const BARE = { mounted: false };

interface Place {
  readonly tree: string;
  plan(names: readonly string[], hidden?: readonly string[]): GuardPlan;
  look(plan: GuardPlan, how: { readonly mounted: boolean }): ReturnType<typeof lookAtGuarded>;
}

async function inTree(test: (place: Place) => Promise<void>): Promise<void> {
  const tree = await Deno.realPath(await Deno.makeTempDir());
  const libc = new Libc(Deno.build.arch);
  try {
    await Deno.mkdir(`${tree}/.git/hooks`, { recursive: true });
    await Deno.writeTextFile(`${tree}/.git/config`, "[core]");
    await test({
      tree,
      plan: (names, hidden = []) => ({
        protected: names.map((name) => ({ path: `${tree}/${name}`, tree, fileOnly: name === ".git" })),
        trees: [],
        open: [],
        hidden: hidden.map((name) => ({ path: `${tree}/${name}`, tree })),
        covers: { directory: "/empty", file: "/nothing" },
      }),
      look: (plan, how) => lookAtGuarded(plan, libc, how),
    });
  } finally {
    libc.close();
    await Deno.remove(tree, { recursive: true });
  }
}

Deno.test("S8 lookAtGuarded() mounts what exists, after pinning the directories on the way", () =>
  inTree(({ tree, plan, look }) => {
    const { guarded } = look(plan([".git/hooks", ".git/config", ".git", ".vscode"]), MOUNTED);
    const seen = guarded.map(({ path, treatment, cover }) => [path.slice(tree.length + 1), treatment, cover === path]);
    assert.deepStrictEqual(seen, [
      [".git", "pin", true],
      [".git/hooks", "read_only", true],
      [".git/config", "read_only", true],
    ]);
    return Promise.resolve();
  }));

Deno.test("S8 lookAtGuarded() makes a directory on the way read-only where that is protected as a whole", () =>
  inTree(({ tree, plan, look }) => {
    const whole = { path: `${tree}/.git`, tree, fileOnly: false };
    const both = plan([".git/hooks"]);
    const { guarded } = look({ ...both, protected: [...both.protected, whole] }, MOUNTED);
    const seen = guarded.map(({ path, treatment }) => [path.slice(tree.length + 1), treatment]);
    assert.deepStrictEqual(seen, [[".git", "read_only"], [".git/hooks", "read_only"]]);
    return Promise.resolve();
  }));

Deno.test("S8 lookAtGuarded() watches a link instead of following it, also one on the way", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.symlink("/etc", `${tree}/.vscode`);
    await Deno.mkdir(`${tree}/other`);
    await Deno.symlink(".git", `${tree}/other/.git`);
    const { guarded, seen } = look(plan([".vscode", "other/.git/config"]), MOUNTED);
    assert.deepStrictEqual(guarded, []);
    assert.deepStrictEqual([...seen.keys()], [`${tree}/.vscode`]);
  }));

Deno.test("S7 lookAtGuarded() covers places of credentials last, and names those it cannot cover", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/.ssh`);
    await Deno.writeTextFile(`${tree}/.netrc`, "");
    const both = plan([".git/config"], [".netrc", ".ssh", ".aws"]);
    const covers = look(both, MOUNTED).guarded.map(({ treatment, cover }) => [treatment, cover.replace(tree, "")]);
    assert.deepStrictEqual(covers, [
      ["pin", "/.git"],
      ["read_only", "/.git/config"],
      ["hidden", "/nothing"],
      ["hidden", "/empty"],
    ]);
    assert.deepStrictEqual(look(both, MOUNTED).exposed, []);
    assert.deepStrictEqual(look(both, BARE).exposed, [`${tree}/.netrc`, `${tree}/.ssh`]);
  }));

Deno.test("S7 lookAtGuarded() pins the directories on the way to what it covers, where they could be renamed", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/.config/gh`, { recursive: true });
    const written = plan([], [".config/gh"]);
    const read = { ...written, hidden: [{ path: `${tree}/.config/gh` }] };
    const treatments = (of: GuardPlan) => look(of, MOUNTED).guarded.map(({ path, treatment }) => [path, treatment]);
    const gh = [`${tree}/.config/gh`, "hidden"];
    assert.deepStrictEqual(treatments(written), [[`${tree}/.config`, "pin"], gh]);
    assert.deepStrictEqual(treatments(read), [gh]);
  }));

Deno.test("S7 lookAtGuarded() covers what is protected as well", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/.ssh`);
    const { guarded } = look(plan([".ssh"], [".ssh"]), MOUNTED);
    assert.deepStrictEqual(guarded.map(({ treatment }) => treatment), ["hidden"]);
  }));

Deno.test("S8 the key of a view changes exactly when other mounts are needed", () =>
  inTree(async ({ tree, plan, look }) => {
    const names = plan([".git/config", ".vscode"]);
    const key = () => look(names, MOUNTED).key;
    const first = key();
    await Deno.writeTextFile(`${tree}/.git/index`, "");
    assert.equal(key(), first, "git at work");
    await Deno.writeTextFile(`${tree}/.git/config.lock`, "[core]");
    await Deno.rename(`${tree}/.git/config.lock`, `${tree}/.git/config`);
    const second = key();
    assert.notEqual(second, first, "another file has taken its place, which no mount covers");
    await Deno.mkdir(`${tree}/.vscode`);
    assert.notEqual(key(), second, "one more exists");
  }));

Deno.test("S8 protectedChanges() tells what was created, changed deep inside, and removed", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/.husky/_`, { recursive: true });
    await Deno.writeTextFile(`${tree}/.husky/_/h`, "1");
    const names = plan([".git/hooks", ".git/config", ".vscode", ".husky", ".envrc"]);
    const before = look(names, BARE);
    assert.deepStrictEqual(protectedChanges(before, look(names, BARE)), []);
    await Deno.mkdir(`${tree}/.vscode`);
    await Deno.writeTextFile(`${tree}/.husky/_/h`, "2");
    await Deno.chmod(`${tree}/.git/config`, 0o600);
    await Deno.remove(`${tree}/.git/hooks`);
    const changes = protectedChanges(before, look(names, BARE));
    assert.deepStrictEqual(changes.map(({ path, change }) => [path.slice(tree.length + 1), change]), [
      [".git/config", "changed"],
      [".git/hooks", "removed"],
      [".husky", "changed"],
      [".vscode", "created"],
    ]);
  }));

Deno.test("S8 protectedChanges() tells of what is mounted only that it is gone, and of all that is new", () =>
  inTree(async ({ tree, plan, look }) => {
    const names = plan([".git/hooks", ".git/config", ".mcp.json"]);
    const before = look(names, MOUNTED);
    await Deno.writeTextFile(`${tree}/.git/config`, "by the user");
    await Deno.remove(`${tree}/.git/hooks`);
    await Deno.writeTextFile(`${tree}/.mcp.json`, "{}");
    assert.deepStrictEqual(protectedChanges(before, look(names, MOUNTED)), [
      { path: `${tree}/.git/hooks`, change: "removed" },
      { path: `${tree}/.mcp.json`, change: "created" },
    ]);
  }));
