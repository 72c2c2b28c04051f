import { strict as assert } from "node:assert";
import fc from "fast-check";
import { type NameList, parseNameList } from "../../base/network/name_list.ts";
import { describeDiagnostic } from "../../base/diagnostic.ts";
import { readServersFile } from "./read_config.ts";
import type { ConfiguredServer } from "./server_spec.ts";
import { isOffered } from "./read_entry.ts";

const SOURCES = {
  environment: { TOKEN: "s3cret", EMPTY: "", AHMA_INPUT_API_KEY: "typed" },
  scope: "/home/me/project",
  home: "/home/me",
};

/** What a text says, its diagnostics as a person sees them. */
async function read(text: string) {
  const { servers, diagnostics } = await readServersFile("mcp.json", text, SOURCES);
  return { servers, problems: diagnostics.map(describeDiagnostic) };
}

function specs(servers: readonly ConfiguredServer[]) {
  return servers.map((server) => server.state === "usable" ? server.spec : server);
}

const DIALECTS: Readonly<Record<string, string>> = {
  "VS Code": `{"servers": {
    "files": {"type": "stdio", "command": "npx", "args": ["-y", "pkg", "\${workspaceFolder}"], "env": {"K": "\${env:TOKEN}"}},
    "web": {"type": "http", "url": "https://example.com/mcp", "headers": {"X-Key": "\${env:TOKEN}"}}}}`,
  "Cursor": `{"mcpServers": {
    "files": {"command": "npx", "args": ["-y", "pkg", "\${workspaceFolder}"], "env": {"K": "\${env:TOKEN}"}},
    "web": {"url": "https://example.com/mcp", "headers": {"X-Key": "\${env:TOKEN}"}}}}`,
  "Claude": `{"mcpServers": {
    "files": {"type": "stdio", "command": "npx", "args": ["-y", "pkg", "/home/me/project"], "env": {"K": "\${TOKEN}"}},
    "web": {"type": "http", "url": "https://example.com/mcp", "headers": {"X-Key": "\${TOKEN}"}}}}`,
  "Gemini": `{"mcpServers": {
    "files": {"command": "npx", "args": ["-y", "pkg", "/home/me/project"], "env": {"K": "$TOKEN"}, "trust": false},
    "web": {"httpUrl": "https://example.com/mcp", "headers": {"X-Key": "\${TOKEN}"}}}}`,
  "Windsurf": `{ // with comments
    "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "pkg", "/home/me/project"], "env": {"K": "\${env:TOKEN}"}, "disabled": false},
    "web": {"serverUrl": "https://example.com/mcp", "headers": {"X-Key": "\${env:TOKEN}"}},
  }}`,
  "Zed": `{"context_servers": {
    "files": {"source": "custom", "enabled": true, "command": "npx", "args": ["-y", "pkg", "/home/me/project"], "env": {"K": "\${TOKEN}"}},
    "web": {"url": "https://example.com/mcp", "headers": {"X-Key": "\${TOKEN}"}}}}`,
};

Deno.test("O6 O1 the same servers in the words of six clients are the same servers", async () => {
  const [first, ...others] = await Promise.all(Object.values(DIALECTS).map(read));
  const common = {
    prefix: undefined,
    filter: { include: undefined, exclude: [] },
    pin: "changed",
    sampling: false,
    logs: undefined,
    waitMs: 20_000,
    timeoutSeconds: 300,
    maxSeconds: undefined,
    idleSeconds: 600,
  };
  assert.deepStrictEqual(specs(first?.servers ?? []), [
    {
      name: "files",
      ...common,
      kind: "stdio",
      command: { text: "npx", shown: "npx" },
      args: ["-y", "pkg", "/home/me/project"].map((word) => ({ text: word, shown: word })),
      environment: { K: { text: "s3cret", shown: "${TOKEN}" } },
      directory: undefined,
      write: [],
      read: [],
      readScope: true,
      network: undefined,
      unixSockets: undefined,
      startSeconds: 60,
    },
    {
      name: "web",
      ...common,
      kind: "http",
      url: { text: "https://example.com/mcp", shown: "https://example.com/mcp" },
      headers: { "X-Key": { text: "s3cret", shown: "${TOKEN}" } },
      transport: "either",
      oauth: {},
    },
  ]);
  for (const other of others) assert.deepStrictEqual(other, first);
});

Deno.test("O6 a mistake leaves its server out, with line, column and the nearest word; the others stay", async () => {
  const text = `{
  "mcpServers": {
    "a": {"comand": "npx"},
    "b": {"command": "x", "env": {"K": "\${env:NOPE}"}},
    "c": {"command": "x", "args": "y", "network": "some"},
    "d": {"command": "x", "env": {"LD_PRELOAD": "z"}},
    "e": {"url": "ftp://x"},
    "f": {"command": "x", "envFile": ".env"},
    "g": {"type": "constructor", "url": "http://x"},
    "h": {"command": "x", "disabled": true},
    "i": {"command": "x", "argz": []},
    "j": {"command": "x", "sandbox": {"network": {"allowedDomains": ["a.b"], "deniedDomains": ["c.a.b"]}}},
    "k": 7
  }
}`;
  const { servers, problems } = await read(text);
  const unset = "Variable NOPE is not set: set it where ahma_mcp starts, or write ${NOPE:-default}";
  assert.deepStrictEqual(problems, [
    'mcp.json:3:10: error: The server has neither "command" nor "url": give the one that starts or finds it (/mcpServers/a)',
    'mcp.json:3:11: warning: Field "comand" is unknown and has no effect; did you mean "command"? (/mcpServers/a/comand)',
    `mcp.json:4:34: error: ${unset} (/mcpServers/b/env)`,
    'mcp.json:5:35: error: Field "args" must be a list of texts, not "y" (/mcpServers/c/args)',
    'mcp.json:5:51: error: Field "network" cannot be used: "some" is neither the full name of a host nor a list that is shipped. Write "full", "localhost", "none", or hosts such as "packages,github.com,*.example.org" (/mcpServers/c/network)',
    'mcp.json:6:34: error: Cannot pass "LD_PRELOAD" to a server: it could change the behaviour of every program or shell (/mcpServers/d/env)',
    'mcp.json:7:18: error: Cannot use "ftp://x" as the address of a server: it is not an http:// or https:// address (/mcpServers/e/url)',
    'mcp.json:8:38: error: Field "envFile" is not read: name the variables in "env", as in {"KEY": "${env:KEY}"} (/mcpServers/f/envFile)',
    'mcp.json:9:19: error: Field "type" must be one of stdio, http, sse, not "constructor" (/mcpServers/g/type)',
    'mcp.json:11:27: warning: Field "argz" is unknown and has no effect; did you mean "args"? (/mcpServers/i/argz)',
    'mcp.json:12:95: error: Field "deniedDomains" has no counterpart: list what is allowed, without them (/mcpServers/j/sandbox/network/deniedDomains)',
    'mcp.json:13:10: error: The server must be an object with "command" or "url" (/mcpServers/k)',
  ]);
  const states = servers.map((server) =>
    `${server.state === "usable" ? server.spec.name : server.name} ${server.state}`
  );
  assert.deepStrictEqual(states, [
    ..."abcdefg".split("").map((name) => `${name} refused`),
    "h disabled",
    "i usable",
    "j refused",
    "k refused",
  ]);
});

Deno.test("O6 a file that names no servers says what is expected", async () => {
  const message = async (text: string, file = "mcp.json") => {
    const { diagnostics } = await readServersFile(file, text, SOURCES);
    return diagnostics.map(describeDiagnostic);
  };
  assert.deepStrictEqual(await message(`{"mcpServer": {}}`), [
    'mcp.json:1:1: error: The file names no servers: expected the key "mcpServers" or "servers"; did you mean "mcpServers"?',
  ]);
  assert.deepStrictEqual(await message(`{\n "servers": {"a" 1}}`), [
    "mcp.json:2:18: error: The file is not valid JSON: colon expected: correct it there, the file is left out until then",
  ]);
  assert.deepStrictEqual(await message("[mcp_servers.a]\ncommand = 'x'", "config.toml"), [
    'config.toml: error: The file is TOML, which is not read: write the servers as JSON, under "mcpServers"',
  ]);
});

Deno.test("O6 variables have their values once, with defaults, and inputs by their variable", async () => {
  const text = JSON.stringify({
    inputs: [{ id: "api-key", type: "promptString", password: true }, { id: "region", default: "eu" }],
    servers: {
      a: {
        command: "x",
        args: [],
        cwd: "${userHome}${/}x",
        env: { A: "${EMPTY:-d}", B: "${NOPE:-${TOKEN}", C: "${input:api-key}-${input:region}", D: "a$TOKEN", E: "$$" },
      },
      b: { command: "x", env: { A: "${input:none}" } },
      c: { command: "x", env: { A: "${command:rm}" } },
    },
  });
  const { servers } = await read(text);
  const [a, b, c] = specs(servers);
  assert.deepStrictEqual(a !== undefined && "environment" in a && [a.directory, a.environment], [
    "/home/me/x",
    {
      A: { text: "d", shown: "d" },
      B: { text: "${NOPE:-s3cret", shown: "${NOPE:-${TOKEN}" },
      C: { text: "typed-eu", shown: "${input:api-key}-${input:region}" },
      D: { text: "a$TOKEN", shown: "a$TOKEN" },
      E: { text: "$$", shown: "$$" },
    },
  ]);
  assert.deepStrictEqual(b, {
    state: "refused",
    name: "b",
    problem: 'Input "none" has no value: set variable AHMA_INPUT_NONE',
  });
  assert.match(String(c !== undefined && "problem" in c && c.problem), /^Cannot use variable "\$\{command:rm\}"/);
});

Deno.test("O6 ~/ is the user's home in a command, arguments and paths, and nowhere else", async () => {
  const entry = {
    command: "~/bin/x",
    args: ["~/notes", "~", "a~/b", "~other/c", "--dir=~/d"],
    cwd: "~/work",
    read: ["~/r"],
    write: ["~/w", "scope"],
    env: { A: "~/a" },
  };
  const [spec] = specs((await read(JSON.stringify({ mcpServers: { a: entry } }))).servers);
  assert.ok(spec !== undefined && "args" in spec);
  const { command, args, directory, read: reads, write, environment } = spec;
  assert.deepStrictEqual(
    [command.text, ...args.map(({ text, shown }) => [text, shown]), directory, reads, write, environment["A"]?.text],
    [
      "/home/me/bin/x",
      ...["/home/me/notes", "/home/me", "a~/b", "~other/c", "--dir=~/d"].map((word) => [word, word]),
      "/home/me/work",
      ["/home/me/r"],
      ["/home/me/w", "scope"],
      "~/a",
    ],
  );
});

Deno.test("O6 a value that looks like a variable is not expanded again", async () => {
  await fc.assert(fc.asyncProperty(fc.string(), async (value) => {
    const { servers } = await readServersFile("f", `{"servers": {"a": {"command": "x", "env": {"K": "\${V}"}}}}`, {
      ...SOURCES,
      environment: { V: value },
    });
    const [spec] = specs(servers);
    assert.deepStrictEqual(spec !== undefined && "environment" in spec && spec.environment["K"]?.text, value);
  }));
});

Deno.test("O6 no text makes the reader throw", async () => {
  const json = fc.oneof(fc.json(), fc.string(), fc.json().map((value) => `{"mcpServers": {"a": ${value}}}`));
  await fc.assert(fc.asyncProperty(json, async (text) => {
    const { servers } = await readServersFile("f", text, SOURCES);
    for (const server of servers) assert.ok(server.state !== "refused" || server.problem !== "");
  }));
});

Deno.test("O6 filters of every client choose tools by pattern, and what is excluded stays out", async () => {
  const chosen = async (fields: object) => {
    const { servers } = await read(JSON.stringify({ servers: { a: { command: "x", ...fields } } }));
    const [spec] = specs(servers);
    const names = ["read", "read_all", "write"];
    return spec !== undefined && "filter" in spec ? names.filter((name) => isOffered(spec.filter, name)) : undefined;
  };
  assert.deepStrictEqual(await chosen({}), ["read", "read_all", "write"]);
  assert.deepStrictEqual(await chosen({ includeTools: ["read*"], excludeTools: ["*_all"] }), ["read"]);
  assert.deepStrictEqual(await chosen({ enabled_tools: ["write"] }), ["write"]);
  assert.deepStrictEqual(await chosen({ disabledTools: ["r*d"] }), ["read_all", "write"]);
  assert.deepStrictEqual(await chosen({ tools: { include: ["*r*"], exclude: ["read"] } }), ["read_all", "write"]);
  const block = { options: { toolFilter: { mode: "block", list: ["write"] } } };
  assert.deepStrictEqual(await chosen(block), ["read", "read_all"]);
});

Deno.test("S30 O1 a server entry lists the hosts it reaches, as a text, a list or the object of other clients", async () => {
  const networks = ['"none"', '"a.example,*.b.example:443"', '["a.example", "*.b.example:443"]', '["packages"]'];
  const entries = [
    ...networks.map((network) => `{"command": "x", "network": ${network}}`),
    '{"command": "x", "sandbox": {"network": {"allowedDomains": ["a.example", "*.b.example:443"]}}}',
    '{"command": "x"}',
  ];
  const text = `{"mcpServers": {${entries.map((entry, at) => `"s${at}": ${entry}`).join(", ")}}}`;
  const { servers, problems } = await read(text);
  assert.deepStrictEqual(problems, []);
  const listed = { network: "names", names: listOf("a.example,*.b.example:443") };
  assert.deepStrictEqual(
    servers.map((server) => server.state === "usable" && server.spec.kind === "stdio" ? server.spec.network : server),
    [
      { network: "none", names: [] },
      listed,
      listed,
      { network: "names", names: listOf("packages") },
      listed,
      undefined,
    ],
  );
});

Deno.test("S30 O1 a list that is empty, wrong or of another type never means the whole network", async () => {
  for (
    const [network, expected] of [
      ["[]", "The list is empty"],
      ['""', "an entry is empty"],
      ['{"allowedDomains": []}', "The list is empty"],
      ["{}", "The list is empty"],
      ['["a.example", "full"]', '"full" is neither'],
      ['["*"]', "has a star"],
      ["true", "must be a list of texts"],
      ["[7]", "must be a list of texts"],
    ]
  ) {
    const { servers, problems } = await read(`{"mcpServers": {"s": {"command": "x", "network": ${network}}}}`);
    assert.ok(problems.length === 1 && problems[0]?.includes(expected ?? ""), `${network}: ${problems.join()}`);
    assert.deepStrictEqual(servers.map(({ state }) => state), ["refused"]);
  }
});

function listOf(text: string): NameList {
  const parsed = parseNameList(text);
  assert.ok(parsed.ok);
  return parsed.value;
}
