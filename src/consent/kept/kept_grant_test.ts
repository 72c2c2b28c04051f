import assert from "node:assert/strict";
import fc from "fast-check";
import type { GrantSubject } from "../../base/command/grant_subject.ts";
import { isExpired, isSameGrant, type KeptGrant, projectKey, readGrants, storedGrants } from "./kept_grant.ts";

const SCOPE = { path: "/work/app", device: 64769n, inode: 2n ** 63n };
const GRANT: KeptGrant = {
  id: "g_0123abcd",
  subject: { kind: "read", path: "/opt/shared" },
  identity: { device: 1n, inode: 7n },
  project: [SCOPE],
  granted: 5,
  used: 6,
};
const HOST: KeptGrant = {
  id: "g_00000000",
  subject: { kind: "network", host: "cdn.example.org", port: 443 },
  project: [SCOPE],
  granted: 5,
  used: 6,
};

const PRINT = `SHA256:${"aB3+/".repeat(9).slice(0, 43)}`;
const LOGIN: KeptGrant = {
  ...HOST,
  subject: { kind: "ssh", hostKey: PRINT, account: "git", key: PRINT, name: "", comment: "me" },
};

Deno.test("S36 grants are read as they were written", () => {
  assert.deepStrictEqual(readGrants(storedGrants([GRANT, HOST, LOGIN])), {
    ok: true,
    value: [GRANT, HOST, LOGIN],
  });
  const segment = fc.string({ unit: "binary", minLength: 1 }).map((one) => one.replaceAll(/[/\0]/g, "_"))
    .filter((one) => one !== "." && one !== "..").map((one) => one.toWellFormed());
  const path = fc.array(segment, { minLength: 1 }).map((parts) => `/${parts.join("/")}`);
  const number = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  fc.assert(fc.property(path, path, number, number, (one, other, device, inode) => {
    const grant: KeptGrant = {
      ...GRANT,
      subject: { kind: "protected", path: one },
      identity: { device, inode },
      project: [{ path: other, device, inode }],
    };
    assert.deepStrictEqual(readGrants(storedGrants([grant])), { ok: true, value: [grant] });
  }));
});

Deno.test("S36 a file of another form grants nothing, and its problem shows nothing of it", () => {
  const stored = JSON.parse(storedGrants([GRANT]));
  const [grant] = stored.grants;
  const others = [
    { ...grant, id: "g_1" },
    { ...grant, subject: { kind: "read", path: "relative" } },
    { ...grant, subject: { kind: "read", path: "/a/../etc" } },
    { ...grant, subject: { kind: "read", path: "/a\0b" } },
    { ...grant, subject: { kind: "execute", path: "/a" } },
    { ...grant, subject: { kind: "network", host: "a.org", port: 443 } }, // a host has no identity
    { ...grant, identity: undefined },
    { ...grant, identity: { device: 1, inode: 7 } },
    { ...grant, identity: { device: "0x1", inode: "7" } },
    { ...grant, project: [] },
    { ...grant, project: [{ path: "/work/app" }] },
    { ...grant, used: "6" },
    { ...grant, used: -1 },
    { ...HOST, project: grant.project, subject: { kind: "network", host: "A.org", port: 443 } },
    { ...HOST, project: grant.project, subject: { kind: "network", host: "a.org", port: 0 } },
    { ...HOST, project: grant.project, subject: { ...LOGIN.subject, hostKey: "SHA256:short" } },
    { ...HOST, project: grant.project, subject: { ...LOGIN.subject, account: "two words" } },
  ];
  for (const other of others) {
    const read = readGrants(JSON.stringify({ ...stored, grants: [grant, other] }));
    assert.ok(!read.ok, JSON.stringify(other));
  }
  for (
    const text of ["", "[]", "null", '{"version":1}', '{"version":2,"grants":[]}', storedGrants([GRANT]).slice(0, -4)]
  ) {
    assert.ok(!readGrants(text).ok, text);
  }
  const secret = readGrants('{"version":1,"grants":[{"id":"my-secret"}]}');
  assert.ok(!secret.ok && !secret.problem.includes("my-secret"));
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
    const read = readGrants(JSON.stringify({ version: 1, grants: [one, { ...grant, subject: other }] }));
    assert.ok(!read.ok);
  }));
});

Deno.test("S36 a grant is over after 30 days without use, and when its time lies ahead", () => {
  const day = 86_400_000;
  const cases = [[0, false], [30 * day, false], [30 * day + 1, true], [-day, false], [-day - 1, true]] as const;
  for (const [age, expected] of cases) {
    assert.equal(isExpired({ ...GRANT, used: 100 * day }, 100 * day + age), expected);
  }
});

Deno.test("S36 a grant is of a project by its directories, and is the same by what it opens", () => {
  const other = { ...SCOPE, path: "/work/lib" };
  const both = { ...GRANT, project: [SCOPE, other] };
  assert.deepStrictEqual(
    [[SCOPE], [{ ...SCOPE, inode: 1n }], [SCOPE, other], [other], []].map((scopes) =>
      projectKey(GRANT.project) === projectKey(scopes)
    ),
    [true, false, false, false, false],
  );
  assert.equal(projectKey(both.project), projectKey([other, SCOPE]));
  assert.ok(isSameGrant(GRANT, { ...GRANT }));
  assert.ok(isSameGrant(LOGIN, { ...LOGIN, subject: { ...LOGIN.subject, name: "other" } as GrantSubject }));
  assert.ok(!isSameGrant(LOGIN, { ...LOGIN, subject: { ...LOGIN.subject, account: "root" } as GrantSubject }));
  for (
    const one of [
      HOST,
      both,
      { ...GRANT, identity: { device: 1n, inode: 8n } },
      { ...GRANT, subject: { kind: "write", path: "/opt/shared" } as const },
    ]
  ) {
    assert.ok(!isSameGrant(GRANT, one));
  }
});
