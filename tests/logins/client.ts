/** Clients that log in by themselves (O8), with the real program, and against an authorization server that refuses them. */
import assert from "node:assert/strict";
import { HTTP_PERMISSIONS } from "../../scripts/permissions.ts";
import { SILENT } from "../../src/base/log.ts";
import { ClientTokens } from "../../src/upstream/oauth/client/client_tokens.ts";
import { browserOf, opens } from "../_support/login/login.ts";
import { type OAuthBehaviour, OAuthServer } from "../_support/login/oauth_server.ts";
import { withServers, writeServers } from "../_support/servers/upstream.ts";
import { type Ran, runProgram } from "../_support/terminal.ts";
import { Workbench } from "../_support/workbench.ts";

const SECRET = "robot-secret-1";
const EXTENSION = { "io.modelcontextprotocol/oauth-client-credentials": {} };

function entryFor(server: OAuthServer, oauth: object = {}): object {
  const own = { grant: "client_credentials", clientId: "robot", clientSecret: "${env:ROBOT_SECRET}" };
  return { url: server.url, headers: { "X-Api-Key": "key" }, oauth: { ...own, issuer: server.issuer, ...oauth } };
}

/** A run of the program with these entries; the secret is in its variable. */
async function runWith(
  bench: Workbench,
  entries: Readonly<Record<string, object>>,
  command: string,
  ...words: readonly string[]
): Promise<Ran> {
  const environment = { ...browserOf(bench), ROBOT_SECRET: SECRET };
  const flags = ["--mcp-config", writeServers(bench, entries)];
  return await runProgram(bench, [command, ...flags, ...words], { script: true, environment });
}

/** The same with one entry. */
async function run(bench: Workbench, entry: object, command: string, ...words: readonly string[]): Promise<Ran> {
  return await runWith(bench, { guarded: entry }, command, ...words);
}

/** What one run of `servers test` writes, and what it says of each entry. */
async function tested(bench: Workbench, entries: Readonly<Record<string, object>>) {
  const { code, stdout, stderr } = await runWith(bench, entries, "servers", "test", "--json");
  const { servers } = JSON.parse(stdout) as {
    readonly servers: readonly { readonly name: string; readonly state: string; readonly problem?: string }[];
  };
  return { code, written: stdout + stderr, byName: new Map(servers.map((server) => [server.name, server])) };
}

/** What was sent to the token endpoint, and the Authorization header there. */
function requests(server: OAuthServer): readonly (readonly [Readonly<Record<string, string>>, string | null])[] {
  return server.grants("client_credentials").map(({ fields, headers }) => [fields, headers.get("authorization")]);
}

// With client_secret_post below: how the secret is sent makes no difference to the rest.
Deno.test("O8 a call logs in by itself with client_secret_basic where the metadata name nothing, and without a browser or a file", async () => {
  using bench = new Workbench();
  await using server = new OAuthServer();
  // Neither PKCE nor a refresh token has to do with it.
  Object.assign(server.behaviour, { pkce: false, clientAuth: undefined });
  const entry = entryFor(server, { scopes: "read" });
  const called = await run(bench, entry, "call", "--quiet", "guarded_guarded");
  assert.deepStrictEqual([called.code, called.stdout], [0, "called"], called.stderr);
  assert.deepStrictEqual(requests(server), [[fieldsFor(server), `Basic ${btoa(`robot:${SECRET}`)}`]]);
  assert.deepStrictEqual([server.at("/authorize"), server.at("/register"), opens(bench)], [[], [], undefined]);
  const withKey = new Set(server.seen.filter(({ headers }) => headers.has("x-api-key")).map(({ path }) => path));
  assert.deepStrictEqual([...withKey], ["/mcp"]);
  const hello = server.at("/mcp").map(({ body }) => body).find((body) => body.includes('"initialize"'));
  assert.deepStrictEqual(JSON.parse(hello ?? "{}").params.capabilities.extensions, EXTENSION);
  const json = JSON.parse((await run(bench, entry, "auth", "list", "--json")).stdout);
  assert.deepStrictEqual(json, {
    logins: [],
    clients: [{ server: server.url, clientId: "robot", issuer: server.issuer }],
  });
  const login = await run(bench, entry, "auth", "login", "guarded");
  assert.deepStrictEqual([login.code, opens(bench)], [1, undefined]);
  assert.match(login.stderr, /needs no login by a person: its entry names the grant "client_credentials"/);
});

/** What a client that wants the scope "read" says of it. */
function fieldsFor({ url }: OAuthServer): Readonly<Record<string, string>> {
  return { grant_type: "client_credentials", scope: "read", resource: url };
}

/** A private key in the user's home, and what the authorization server knows of it. */
async function makeKey(
  bench: Workbench,
  { name = "robot.pem", mode = 0o600 } = {},
): Promise<{ readonly file: string; readonly known: CryptoKey }> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, ...HOW);
  const bytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey)).toBase64();
  const text = `-----BEGIN PRIVATE KEY-----\n${bytes}\n-----END PRIVATE KEY-----\n`;
  const file = bench.write(`${bench.home}/${name}`, text);
  await Deno.chmod(file, mode);
  return { file, known: publicKey };
}

const HOW = [true, ["sign", "verify"]] as const satisfies [boolean, KeyUsage[]];

Deno.test("O8 a client with a key of its own logs in by a fresh proof each time, and a key that others can read, or that proves nothing to the server, is refused with the way out", async () => {
  using bench = new Workbench();
  await using stack = new AsyncDisposableStack();
  const [good, other, open] = [
    await makeKey(bench),
    await makeKey(bench, { name: "other.pem" }),
    await makeKey(bench, { name: "open.pem", mode: 0o644 }),
  ];
  const inScope = bench.write("robot.pem", await Deno.readTextFile(good.file));
  const rows: Readonly<Record<string, readonly [oauth: object, said: RegExp, asked: number, methods?: string]>> = {
    scope: [{ privateKeyFile: inScope }, /commands can read it there\. Keep it outside the scope/, 0],
    none: [{ privateKeyFile: `${bench.home}/none.pem` }, /Cannot use private key "\S+": No such file/, 0],
    secret: [{}, /accepts no proof of a key .*, only client_secret_basic/, 0, "client_secret_basic"],
    issuer: [{ issuer: "https://real.example" }, /The proof of a key is not sent to "http/, 0],
    other: [{ privateKeyFile: other.file }, /\(invalid_client\): check "clientId" and its secret or key/, 1],
    open: [{ privateKeyFile: open.file }, /other users can read it \(chmod 600\)/, 0],
    good: [{ privateKeyFile: "${userHome}/robot.pem", keyId: "one" }, /^$/, 2],
  };
  const servers = Object.entries(rows).map(([name, [oauth, , , method = "private_key_jwt"]]) => {
    const server = stack.use(new OAuthServer());
    Object.assign(server.behaviour, { clientAuth: [method], robotKey: good.known, pkce: false });
    const keyed = { clientSecret: undefined, privateKeyFile: good.file, ...oauth };
    return { name, server, entry: entryFor(server, keyed) };
  });
  const [last] = servers.slice(-1);
  assert.ok(last?.name === "good");
  const entries = Object.fromEntries(servers.map(({ name, entry }) => [name, entry]));
  const { code, written, byName } = await tested(bench, { ...entries, again: last.entry });
  assert.strictEqual(code, 1);
  assert.doesNotMatch(written, /PRIVATE KEY|client_assertion/);
  for (const { name, server } of servers) {
    const [, said = /^$/, asked] = rows[name] ?? [];
    assert.match(byName.get(name)?.problem ?? "", said, name);
    assert.deepStrictEqual(requests(server).length, asked, name);
  }
  assert.deepStrictEqual([byName.get("good")?.state, byName.get("again")?.state], ["ready", "ready"]);
  const [fields, authorization] = requests(last.server)[0] ?? [];
  assert.deepStrictEqual([fields?.["client_assertion_type"], fields?.["client_secret"], authorization], [
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    undefined,
    null,
  ]);
  assert.strictEqual(new Set(requests(last.server).map(([{ client_assertion: one }]) => one)).size, 2);
});

Deno.test("O8 a running server renews the token that is refused, stops at one that never helps, and shows no secret", async () => {
  using bench = new Workbench();
  await using server = new OAuthServer();
  server.behaviour.clientAuth = ["client_secret_basic"];
  const audit = `${bench.elsewhere}/audit.jsonl`;
  await using program = await withServers(bench, { guarded: entryFor(server) }, {
    permissions: HTTP_PERMISSIONS,
    environment: { ROBOT_SECRET: SECRET },
    flags: ["--log-to-stderr", "--debug", "--audit-log", audit],
  });
  const call = async () => (await program.call("guarded_guarded")).text;
  const grants = () => server.grants("client_credentials").length;
  assert.deepStrictEqual([await call(), await call(), grants()], ["called", "called", 1]);
  server.endAccessTokens();
  assert.deepStrictEqual([await call(), grants()], ["called", 2]);
  server.behaviour.refusesAll = true;
  const refused = [await call(), await call(), await call()];
  assert.deepStrictEqual([refused.filter((text) => text.includes("called")), grants()], [[], 2], refused.join("\n"));
  assert.match(refused[0] ?? "", /also refuses the second token in a row of client "robot"/);
  const status = (await program.call("status")).text;
  assert.match(program.stderr, /A client logged in by itself/);
  const shown = [...refused, status, program.stderr, await Deno.readTextFile(audit)].join("\n");
  assert.doesNotMatch(shown, /robot-secret|access-secret/);
  assert.ok(!shown.includes(btoa(`robot:${SECRET}`)));
});

/** Each: what the authorization server does, what else the entry says, and what a person reads. */
const REFUSED: Readonly<Record<string, readonly [Partial<OAuthBehaviour>, object, RegExp, asked: number]>> = {
  "a wrong secret": [
    { robotSecret: "another" },
    {},
    /refuses a token to client "robot" \(invalid_client\): check "clientId" and its secret or key.* next try .* 60 s/,
    1,
  ],
  "no metadata": [{ metadata: "html" }, {}, /offers no login: no metadata of an authorization server/, 0],
  "another grant": [
    { grantTypes: ["authorization_code"] },
    {},
    /does not support the grant "client_credentials"\. Remove "grant"/,
    0,
  ],
  "no secret taken": [
    { clientAuth: ["private_key_jwt"] },
    {},
    /accepts no secret of a client, only private_key_jwt\. Register a client/,
    0,
  ],
  "no issuer in the entry": [{}, { issuer: undefined }, /no issuer is named for it\. If .* set "issuer": "http/, 0],
  "another issuer": [
    {},
    { issuer: "https://real.example" },
    /The secret is not sent to "http.*: the entry names "https:\/\/real\.example"/,
    0,
  ],
  "an address that is not safe": [
    { authorizationEndpoint: "http://evil.example/page" },
    {},
    /^The authorization endpoint of "http.*" is refused: ".*" is neither https nor on this machine/,
    0,
  ],
  "a busy server": [{ robotAnswer: "unavailable" }, {}, /answers with status 503 .*next try is possible in \d s/, 1],
  "an answer that repeats the secret": [{ robotAnswer: "echo" }, {}, /answers with status 400 .*\[secret\]/, 1],
};

Deno.test("O8 the reason why a client gets no token is reported with the way out, after at most one request", async (t) => {
  using bench = new Workbench();
  await using stack = new AsyncDisposableStack();
  const made = Object.entries(REFUSED).map(([title, [behaviour, oauth, said, asked]], number) => {
    const server = stack.use(new OAuthServer());
    Object.assign(server.behaviour, { clientAuth: ["client_secret_post"], ...behaviour });
    return { title, name: `row${number}`, server, entry: entryFor(server, oauth), said, asked };
  });
  const rows = made.map(({ name, entry }) => [name, entry] as const);
  const url = "http://127.0.0.1:9/mcp";
  const [usual, admin, post] = [new OAuthServer(), new OAuthServer(), new OAuthServer()];
  for (const server of [usual, admin, post]) stack.use(server);
  Object.assign(post.behaviour, { clientAuth: ["client_secret_post", "none"], pkce: false });
  Object.assign(admin.behaviour, { clientAuth: ["client_secret_basic"], needs: "admin" });
  const { code, written, byName } = await tested(bench, {
    ...Object.fromEntries(rows),
    lacking: { url, oauth: { grant: "client_credentials" } },
    strange: { url, oauth: { grant: "pass" } },
    usual: { url: usual.url },
    narrow: entryFor(admin, { scopes: "read" }),
    wide: entryFor(admin, { scopes: "read admin" }),
    post: entryFor(post, { scopes: "read" }),
  });
  const problem = (name: string) => byName.get(name)?.problem ?? "";
  assert.deepStrictEqual([code, opens(bench), written.includes(SECRET)], [1, undefined, false]);
  for (const { title, name, server, said, asked } of made) {
    await t.step(title, () => {
      assert.match(problem(name), said);
      assert.deepStrictEqual(requests(server).length, asked);
    });
  }
  assert.match(problem("lacking"), /needs "clientId" and "clientSecret" or "privateKeyFile"/);
  assert.match(problem("strange"), /not "pass"/);
  await t.step("an entry with the usual grant declares no extension, and waits for a person", () => {
    assert.match(problem("usual"), /needs a login\. Run: ahma_mcp auth login usual/);
    assert.deepStrictEqual(usual.grants("client_credentials"), []);
    assert.ok(!usual.seen.some(({ body }) => body.includes("oauth-client-credentials")));
  });
  await t.step("client_secret_post is used where the metadata name it", () => {
    assert.strictEqual(byName.get("post")?.state, "ready", problem("post"));
    const proof = { ...fieldsFor(post), client_id: "robot", client_secret: SECRET };
    assert.deepStrictEqual(requests(post), [[proof, null]]);
    assert.deepStrictEqual([post.at("/authorize"), post.at("/register")], [[], []]);
  });
  await t.step("a lacking scope is named, and a client asks for no more than its entry says", () => {
    assert.match(problem("narrow"), /lacks a scope for this: "admin"\. If .* add it to "scopes"/);
    assert.strictEqual(byName.get("wide")?.state, "ready", problem("wide"));
    assert.deepStrictEqual(requests(admin).map(([{ scope }]) => scope).toSorted(), ["read", "read admin"]);
  });
});

Deno.test("O8 a token is renewed before and at its end, once for all that wait, and not again within a pause", async () => {
  await using server = new OAuthServer();
  server.behaviour.clientAuth = ["client_secret_basic"];
  let time = Date.now();
  const config = {
    url: new URL(server.url),
    grant: "client_credentials" as const,
    clientId: "robot",
    clientSecret: SECRET,
    issuer: server.issuer,
  };
  const tokens = new ClientTokens({ config, now: () => time, stop: new AbortController().signal, log: SILENT });
  const grants = () => server.grants("client_credentials").length;
  assert.deepStrictEqual([await tokens.token(), grants()], [undefined, 0]);
  assert.deepStrictEqual(await Promise.all([tokens.replace(undefined, {}), tokens.replace(undefined, {})]), [
    true,
    true,
  ]);
  const first = await tokens.token();
  assert.deepStrictEqual([typeof first, grants()], ["string", 1]);
  server.behaviour.robotAnswer = "unavailable";
  time += 3_599_000;
  assert.deepStrictEqual([await tokens.token(), await tokens.token(), grants()], [first, first, 2]);
  time += 1_000;
  await assert.rejects(tokens.token(), /503.*The next try is possible in 6 s$/);
  assert.deepStrictEqual(grants(), 2);
  server.behaviour.robotAnswer = "token";
  time += 6_000;
  const [second, same] = await Promise.all([tokens.token(), tokens.token()]);
  assert.deepStrictEqual([second === first, second === same, grants()], [false, true, 3]);
  assert.deepStrictEqual([await tokens.replace(first, {}), grants()], [true, 3], "another token has come meanwhile");
  assert.deepStrictEqual([await tokens.replace(second, {}), await tokens.replace(await tokens.token(), {})], [
    true,
    false,
  ]);
  time += 60_000;
  assert.deepStrictEqual([await tokens.replace(await tokens.token(), {}), grants()], [true, 5]);
});
