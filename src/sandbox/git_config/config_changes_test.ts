import assert from "node:assert/strict";
import fc from "fast-check";
import { judgeChanges } from "./config_changes.ts";
import { type ConfigEntries, parseEntries } from "./config_entries.ts";

function entries(values: Readonly<Record<string, string | readonly string[]>>): ConfigEntries {
  return new Map(Object.entries(values).map(([key, value]) => [key, typeof value === "string" ? [value] : value]));
}

const ORIGIN = {
  "core.bare": "false",
  "remote.origin.url": "https://host.invalid/a.git",
  "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
  "branch.main.remote": "origin",
  "branch.main.merge": "refs/heads/main",
};

/** What is taken of a change from `ORIGIN`, and what is not. */
function judged(change: Readonly<Record<string, string | readonly string[] | undefined>>) {
  const before = entries(ORIGIN);
  const after = new Map(before);
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) after.delete(key);
    else after.set(key, typeof value === "string" ? [value] : value);
  }
  const { taken, dropped } = judgeChanges({ before, after, real: before, first: before });
  return { taken: taken.map(({ key }) => key), dropped };
}

Deno.test("S24 parseEntries() reads what git prints: values of several lines, and keys without one", () => {
  const read = parseEntries("core.bare\nfalse\0a.b\nx\ny\0a.b\n\0c.d\0");
  assert.deepStrictEqual([...read], [["core.bare", ["false"]], ["a.b", ["x\ny", ""]], ["c.d", [undefined]]]);
});

Deno.test("S24 judgeChanges() takes what git does every day, and leaves what would run, read or send", () => {
  const taken = [
    { "branch.x.remote": "origin", "branch.x.merge": "refs/heads/x", "branch.x.rebase": "true" },
    { "branch.rel/1.2.remote": ".", "branch.rel/1.2.merge": "refs/heads/main" },
    { "remote.up.url": "git@host.invalid:a/b.git", "remote.up.fetch": "+refs/heads/*:refs/remotes/up/*" },
    { "remote.up.url": "ssh://git@host.invalid/a", "branch.x.remote": "up", "branch.x.merge": "refs/heads/x" },
    { "remote.up.url": "https://user@host.invalid:8443" },
    { "user.name": "Ä. Person", "user.email": "a@b.invalid" },
    { "submodule.lib.url": "https://host.invalid/lib", "submodule.lib.active": "true" },
    { "core.sparsecheckout": "true", "pull.rebase": "merges", "push.autosetupremote": "true" },
  ];
  for (const change of taken) assert.deepStrictEqual(judged(change), { taken: Object.keys(change), dropped: [] });
  const dropped = [
    { "core.hookspath": "hooks" },
    { "alias.st": "!evil" },
    { "remote.origin.url": "https://evil.invalid/a" },
    { "remote.origin.url": ["https://host.invalid/a.git", "https://evil.invalid/a"] },
    { "remote.origin.pushurl": "https://evil.invalid/a" },
    { "remote.origin.url": undefined },
    { "remote.origin.fetch": "+refs/heads/*:refs/heads/*" },
    { "remote.up.url": "ext::sh -c evil" },
    { "remote.up.url": "evil::x" },
    { "remote.up.url": "evil://x" },
    { "remote.up.url": "-uevil" },
    { "remote.up.url": "../bare.git" },
    { "remote.up.url": "/scope/bare.git" },
    { "remote.up.url": "./x:y" },
    { "remote.up.url": "file:///scope/bare.git" },
    { "remote.up.url": "ssh://$(evil)/x" },
    { "remote.up.url": "ssh://a@-oProxyCommand=evil/x" },
    { "remote.up.url": "git@`evil`:x" },
    { "remote.up.url": "ssh://-oProxyCommand=evil/x" },
    { "remote.up.url": "-oProxyCommand=evil:x" },
    { "remote.up.url": ["https://a.invalid", "https://b.invalid"] },
    { "remote.-x.url": "https://a.invalid/b" },
    { "remote.pushdefault": "up" },
    { "branch.main.remote": "https://evil.invalid/a" },
    { "branch.main.remote": "." },
    { "branch.x.remote": "nowhere" },
    { "branch.x.pushremote": "origin" },
    { "branch.x.merge": "--upload-pack=evil" },
    { "branch.-x.merge": "refs/heads/x" },
    { "branch.\u001b[31mx.merge": "refs/heads/x" },
    { "submodule.lib.update": "!evil" },
    { "submodule.lib.url": "ext::evil" },
    { "submodule.lib.url": "../bare.git" },
    { "extensions.worktreeconfig": "true" },
    { "include.path": "../x" },
    { "user.name": "a\u202eb" },
    { "core.bare": "true" },
    { "commit.gpgsign": "false" },
  ];
  for (const change of dropped) assert.deepStrictEqual(judged(change), { taken: [], dropped: Object.keys(change) });
});

Deno.test("S24 judgeChanges() lets no branch change its remote in two steps", () => {
  const first = entries(ORIGIN);
  const { "branch.main.remote": _, "branch.main.merge": __, ...rest } = ORIGIN;
  const gone = entries({ ...rest, "remote.evil.url": "https://evil.invalid/a" });
  const back = new Map([...gone, ["branch.main.remote", ["evil"]], ["branch.main.merge", ["refs/heads/main"]]]);
  const { taken, dropped } = judgeChanges({ before: gone, after: back, real: gone, first });
  assert.deepStrictEqual([taken.map(({ key }) => key), dropped], [["branch.main.merge"], ["branch.main.remote"]]);
});

Deno.test("S24 judgeChanges() leaves the remote of a removed branch behind, unless commands gave it", () => {
  const gone = { "branch.main.remote": undefined, "branch.main.merge": undefined };
  assert.deepStrictEqual(judged(gone), { taken: ["branch.main.merge"], dropped: [] });
  const before = entries({ ...ORIGIN, "branch.x.remote": "origin" });
  const { taken } = judgeChanges({ before, after: entries(ORIGIN), real: before, first: entries(ORIGIN) });
  assert.deepStrictEqual(taken, [{ key: "branch.x.remote", values: [] }]);
});

Deno.test("S24 judgeChanges() adds an `origin`, to which git pushes by itself, only where there is no remote", () => {
  const url = { "remote.origin.url": "https://host.invalid/a.git" };
  const judge = (real: ConfigEntries) =>
    judgeChanges({ before: real, after: new Map([...real, ...entries(url)]), real, first: real }).dropped;
  assert.deepStrictEqual(judge(entries({ "core.bare": "false" })), []);
  assert.deepStrictEqual(judge(entries({ "remote.up.url": "https://host.invalid/b.git" })), ["remote.origin.url"]);
});

Deno.test("S24 judgeChanges() judges each changed key once, and takes no others, whatever both files hold", () => {
  const key = fc.oneof(
    fc.constantFrom(
      ...Object.keys(ORIGIN),
      "core.hookspath",
      "alias.x",
      "user.name",
      "remote.up.url",
      "branch.x.remote",
    ),
    fc.tuple(
      fc.constantFrom("remote", "branch", "submodule", "url"),
      fc.string(),
      fc.constantFrom("url", "remote", "a"),
    )
      .map((parts) => parts.join(".")),
  );
  const value = fc.oneof(fc.constantFrom("origin", "true", "https://a.invalid/b", "ext::x", "."), fc.string());
  const file = fc.dictionary(key, fc.array(value, { minLength: 1, maxLength: 2 })).map(entries);
  fc.assert(fc.property(file, file, file, (before, after, real) => {
    const { taken, dropped } = judgeChanges({ before, after, real, first: real });
    const told = [...taken.map(({ key: one }) => one), ...dropped];
    assert.equal(new Set(told).size, told.length);
    for (const { key: one, values } of taken) {
      assert.deepStrictEqual(values, after.get(one) ?? []);
      assert.match(one, /^(?:user\.name|(?:remote|branch|submodule)\.)/);
      for (const text of values) assert.doesNotMatch(text, one === "user.name" ? /\p{Cc}/u : /::|^-|\p{Cc}/u);
    }
  }));
});
