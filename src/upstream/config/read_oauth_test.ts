import assert from "node:assert/strict";
import { EntryReader } from "./entry_reader.ts";
import { readOAuth } from "./read_oauth.ts";

const SOURCES = { environment: { SECRET: "hush" }, scope: "/s", home: "/h", inputs: new Map() };

function read(fields: Readonly<Record<string, unknown>>) {
  const entry = new EntryReader(fields, []);
  const oauth = readOAuth(entry, SOURCES);
  return { oauth, problems: entry.diagnostics.map(({ message }) => message) };
}

Deno.test("O1 O3 readOAuth() takes the words of every dialect", () => {
  const client = { clientId: "a", clientSecret: "hush" };
  const entries = [
    { oauth: { clientId: "a", clientSecret: "${env:SECRET}" } },
    { oauth: { client_id: "a", client_secret: "${SECRET}" } },
    { auth: { CLIENT_ID: "a", CLIENT_SECRET: "${env:SECRET}" } },
    { client_id: "a", client_secret: "${env:SECRET}" },
  ];
  assert.deepStrictEqual(entries.map(read), entries.map(() => ({ oauth: client, problems: [] })));
  assert.deepStrictEqual(read({ atlassian_client_id: "a", atlassian_client_secret: "hush" }), {
    oauth: { ...client, redirectUri: "http://localhost:8080" },
    problems: [],
  });
  const all = {
    scopes: ["read", "write"],
    callbackPort: 3118,
    redirectUri: "http://localhost:3118/callback",
    resource: false,
    authServerMetadataUrl: "https://a.example/m",
    clientMetadataUrl: "https://c.example/m",
    assumePkce: true,
  } as const;
  assert.deepStrictEqual(read({ oauth: { ...all, scopes: "read write", enabled: true } }), {
    oauth: all,
    problems: [],
  });
  assert.deepStrictEqual(read({ scopes: ["read"], oauth_resource: "https://r" }).oauth, {
    scopes: ["read"],
    resource: "https://r",
  });
  const own = { grant: "client_credentials", issuer: "https://a.example", ...client } as const;
  assert.deepStrictEqual(read({ oauth: own }), { oauth: own, problems: [] });
  const keyed = { grant: "client_credentials", clientId: "a", privateKeyFile: "/h/key.pem", keyId: "k" } as const;
  assert.deepStrictEqual(read({ oauth: { ...keyed, privateKeyFile: "${userHome}/key.pem" } }), {
    oauth: keyed,
    problems: [],
  });
  assert.deepStrictEqual(read({ oauth: { ...client, grant: "authorization_code" } }), { oauth: client, problems: [] });
  assert.deepStrictEqual(read({}), { oauth: {}, problems: [] });
});

Deno.test("O1 readOAuth() names what is wrong", () => {
  const { problems } = read({
    oauth: { clientId: 7, callbackPort: 70_000, clientIdd: "x", clientSecret: "${env:NOPE}" },
  });
  assert.strictEqual(problems.length, 4, problems.join("\n"));
  assert.match(problems.join("\n"), /clientId" must be a text.*callbackPort" must be a port, not 70000/s);
  const wrong = [{ grant: "password" }, { grant: "client_credentials", clientId: "a" }].map((oauth) =>
    read({ oauth }).problems
  );
  for (
    const oauth of [
      { grant: "client_credentials", clientId: "a", privateKeyFile: "key.pem" },
      { grant: "client_credentials", clientId: "a", clientSecret: "b", privateKeyFile: "/key.pem" },
      { clientId: "a", privateKeyFile: "/key.pem" },
    ]
  ) assert.match(read({ oauth }).problems.join(), /^Field "privateKeyFile" must be an absolute path, next to "grant"/);
  assert.deepStrictEqual(wrong, [
    ['Field "grant" must be "client_credentials" or "authorization_code", not "password"'],
    ['Field "grant" needs "clientId" and "clientSecret" or "privateKeyFile" of a registered client next to it'],
  ]);
});
