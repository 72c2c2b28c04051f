/** Secrets that commands use and cannot read (S33). */
import assert from "node:assert/strict";
import { request as requestOverTls } from "node:https";
import { HttpClient } from "./_support/clients/http_client.ts";
import { withDeadline } from "./_support/deadline.ts";
import { namesHere } from "./_support/names_here.ts";
import { processesWith } from "./_support/processes.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { HttpsEcho } from "./_support/servers/https_echo.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { upstreamServer, writeServers } from "./_support/servers/upstream.ts";
import { usersAtHand, Workbench } from "./_support/workbench.ts";

const BOUND = "bound.example.test";
/** Gets the secret in some requests only. */
const LIMITED = "limited.example.test";
/** Gets the secret in requests of git only. */
const FOR_GIT = "git.example.test";
/** Gets none. */
const OTHER = "other.example.test";
const HOSTS = [BOUND, LIMITED, FOR_GIT, OTHER];
// Replacements of strings would read `$$` and `$&` as something else.
const VALUE = `true-$$-$&-${crypto.randomUUID()}`;
const FILED = "filed-in-private";
/** What stands in buffers between a host and a command that does not read, bytes. */
const MOST_AHEAD = 64 * 1024 * 1024;
const DEADLINE_MS = 10_000;
const PLACEHOLDER = /ahma_secret_[0-9a-f]{36}/;

/** A line that asks and prints status, echo, place and body; in the headers `$TOKEN` is the variable's value. */
function lineThatAsks(method: string, url: string, ...headers: readonly string[]): string {
  const program = method === "PUT" ? "head -c 1000000 /dev/zero | curl --data-binary @- -H 'Expect:'" : "curl";
  const words = headers.map((one) => ` -H "${one}"`).join("");
  return `: > answer; ${program} -sS -m 60 --http1.1 -X ${method}${words} -o answer -w '%{http_code} %header{x-echo} %header{location}\n' '${url}'` +
    "; cat answer";
}

interface Started extends AsyncDisposable {
  readonly echo: HttpsEcho;
  readonly server: ServerProcess;
  ask(method: string, url: string, ...headers: readonly string[]): Promise<string>;
}

/** Flags for a server whose secret goes to these hosts. */
function flagsFor(port: number, ...bindings: readonly string[]): readonly string[] {
  const allowed = HOSTS.flatMap((host) => ["--allow-private-hosts", host]);
  return ["--network", `${OTHER}:${port}`, ...allowed, ...bindings.flatMap((one) => ["--secret", `TOKEN=${one}`])];
}

/** A server with all secrets of the tests; that of the ordinary user has one from a command and servers of others too. */
async function start(bench: Workbench): Promise<Started> {
  await using stack = new AsyncDisposableStack();
  const echo = stack.use(await HttpsEcho.open(bench, HOSTS));
  const { port } = echo;
  const file = bench.write(`${bench.elsewhere}/token`, `${FILED}\n`);
  await Deno.chmod(file, 0o600);
  const made = `MADE=printf made-%s by-command; sleep 50 & echo $! > ${bench.elsewhere}/left`;
  const config = writeServers(bench, {
    listed: upstreamServer(bench, { env: { KEPT: "Bearer ${TOKEN}" }, network: ["packages"] }),
    open: upstreamServer(bench, { env: { KEPT: "${TOKEN}" }, network: "full" }),
    without: upstreamServer(bench, { network: "none" }),
  });
  const bindings = [`${BOUND}:${port}`, `${LIMITED}:${port}:GET /repos/*`, `${FOR_GIT}:${port}:git`];
  const server = stack.use(
    await ServerProcess.start(bench, {
      flags: [
        ...["--sync", "--debug", "--audit-log", `${bench.home}/audit.log`, ...flagsFor(port, ...bindings)],
        ...["--secret", `FILED=${BOUND}:${port}`, "--secret-file", `FILED=${file}`],
        ...bench.user === "root"
          ? []
          : ["--secret", `MADE=${BOUND}:${port}`, "--secret-command", made, "--mcp-config", config],
      ],
      prefix: namesHere(bench, HOSTS.join(" ")),
      permissions: ["--allow-net"],
      environment: { TOKEN: VALUE, SSL_CERT_FILE: echo.certificate },
    }),
  );
  const all = stack.move();
  return {
    echo,
    server,
    ask: async (...words) => (await server.call("sandboxed_shell", { command: lineThatAsks(...words) })).text,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const [test, testAsRoot] = usersAtHand().toReversed().map((user) => {
  const register = sharing(start, user);
  return (name: string, run: (started: Started, bench: Workbench) => Promise<void>) =>
    register(name, async ({ bench, server }) => {
      server.echo.heard.length = 0;
      await run(server, bench);
    });
});

for (const [own, user] of [[test, "ordinary"], [testAsRoot, "root"]] as const) {
  own?.(
    `S33 requests to a bound host carry the secret, and no byte of it reaches commands, as ${user}`,
    async ({ echo, server, ask }, bench) => {
      const url = (host: string, path: string) => `https://${host}:${echo.port}${path}`;
      const answers = [
        await ask("GET", url(BOUND, "/a?b=1"), "Authorization: Bearer $TOKEN"),
        await ask("PUT", url(BOUND, "/up"), "X-Api-Key: $TOKEN"),
        await ask("GET", url(BOUND, "/packed"), "Authorization: Bearer $TOKEN"),
        await ask("GET", url(BOUND, `/moved?https://${OTHER}/`), "Authorization: Bearer $TOKEN"),
      ];
      const host = `${BOUND}:${echo.port}`;
      const authorization = `Bearer ${VALUE}`;
      assert.deepEqual(echo.heard.map(({ rest: _, ...one }) => one), [
        { line: "GET /a?b=1", host, authorization, bytes: 0 },
        { line: "PUT /up", host, authorization: null, bytes: 1_000_000 },
        { line: "GET /packed", host, authorization, bytes: 0 },
        { line: `GET /moved?https://${OTHER}/`, host, authorization, bytes: 0 },
      ]);
      const stars = "*".repeat(VALUE.length);
      assert.ok(answers[0]?.startsWith(`200 Bearer ${stars} \nGET /a?b=1\n`), answers[0]);
      assert.ok(answers[1]?.includes(`\nx-api-key: ${stars}\n`), answers[1]);
      assert.ok(answers[2]?.includes(`\nauthorization: Bearer ${stars}\n`), answers[2]);
      assert.ok(answers[3]?.startsWith(`302 Bearer ${stars} https://${OTHER}/\n`), answers[3]);
      // Elsewhere what commands have is worth nothing.
      const elsewhere = await ask("GET", url(OTHER, "/"), "Authorization: Bearer $TOKEN");
      assert.match(elsewhere, PLACEHOLDER);
      assert.match(echo.heard.at(-1)?.authorization ?? "", /^Bearer ahma_secret_/);
      const parts = [VALUE.slice(0, 12), VALUE.slice(12)];
      const look = 'env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2> /dev/null; cat "$GIT_CONFIG_GLOBAL"; ' +
        `grep -rasF '${parts.join("''")}' "$HOME" "$TMPDIR" /etc /run /dev/shm /tmp . || echo searched`;
      const seen = (await server.call("sandboxed_shell", { command: look, timeout_seconds: 60 })).text;
      assert.match(seen, new RegExp(`TOKEN=${PLACEHOLDER.source}[^]*\\nsearched\\n`));
      const said = [...answers, elsewhere, seen, (await server.call("status")).text].join("\n").replaceAll(look, "");
      assert.ok(!said.includes(VALUE) && !said.includes(btoa(VALUE)), said);
      assert.match(
        said,
        /\nSecrets: TOKEN for bound\S+:\d+ \(all requests\); TOKEN for limited\S+:\d+ \(GET \/repos\/\*\); TOKEN for git\./,
      );
      const audit = await Deno.readTextFile(`${bench.home}/audit.log`);
      assert.ok(!audit.includes(VALUE));
      assert.match(audit, /"event":"network"[^\n]*"name":"bound\.example\.test"[^\n]*"put_in":\["TOKEN"\]/);
      const found = await new Deno.Command("grep", { args: ["-raFl", VALUE, bench.home, bench.scope] }).output();
      assert.equal(new TextDecoder().decode(found.stdout), "");
    },
  );
}

test?.(
  "S33 a secret is put into permitted requests only, and a refusal says which those are",
  async ({ echo, ask }) => {
    const url = (path: string) => `https://${LIMITED}:${echo.port}${path}`;
    assert.match(await ask("GET", url("/repos/a"), "Authorization: token $TOKEN"), /^200 /);
    const refused = [["POST", "/repos/a"], ["GET", "/user"], ["GET", "/repos/%2e%2e/user"], ["TRACE", "/repos/a"]];
    for (const [method = "", path = ""] of refused) {
      const text = await ask(method, url(path), "Authorization: token $TOKEN");
      assert.match(
        text,
        /^40[35] [^]*\nSandbox: "limited\.example\.test:\d+" was sent a request that is not passed on: /,
        path,
      );
    }
    assert.match(
      await ask("DELETE", url("/repos/a"), "Authorization: token $TOKEN"),
      /\nRefused by ahma_mcp: secret TOKEN is not for this request: --secret allows GET \/repos\/\*\n/,
    );
    const wrongHost = await ask("GET", url("/repos/a"), "Authorization: token $TOKEN", `Host: ${OTHER}`);
    assert.match(wrongHost, /^421 /);
    assert.equal(echo.heard.length, 1);
    // Without the secret the host is a listed one like others.
    assert.match(await ask("DELETE", url("/user")), /^200 /);
  },
);

test?.(
  "S33 git clones and pushes with a secret that only git's requests carry",
  async ({ echo, server, ask }, bench) => {
    const repository = `${bench.parent}/repositories/r.git`;
    await run("git", "init", "-q", "--bare", "-b", "main", repository);
    const url = `https://${FOR_GIT}:${echo.port}/git/r.git`;
    const lines = [
      `git clone -q ${url} copy && cd copy && git checkout -q -b main && echo 1 > file && git add file`,
      "git -c user.name=a -c user.email=a@b commit -qm first && git push -q origin main && git ls-remote origin",
    ];
    const pushed = (await server.call("sandboxed_shell", { command: lines.join(" && "), timeout_seconds: 60 })).text;
    assert.match(pushed, /\trefs\/heads\/main\n/);
    const basic = `Basic ${btoa(`x-access-token:${VALUE}`)}`;
    assert.deepEqual(new Set(echo.heard.map(({ authorization }) => authorization)), new Set([basic]));
    assert.ok(echo.heard.some(({ line }) => line === "POST /git/r.git/git-receive-pack"));
    assert.match(await ask("GET", `https://${FOR_GIT}:${echo.port}/user`, "Authorization: Bearer $TOKEN"), /^403 /);
  },
);

test?.(
  "S33 what a command sends with a secret stays hidden, and later answers that repeat it",
  async ({ echo, ask }) => {
    const url = (path: string) => `https://${BOUND}:${echo.port}${path}`;
    const stars = "*".repeat(VALUE.length);
    const parted = await ask("GET", url("/"), "Authorization: Bearer $TOKEN", "X-Api-Key: $TOKEN e", "X-Key: $TOKEN -");
    assert.ok(parted.includes(`\nauthorization: Bearer ${stars}\n`), parted);
    assert.ok(parted.includes(`\nx-api-key: ${stars} e\nx-key: ${stars} -\n`), parted);
    const repeated = await ask("GET", url("/before"));
    assert.ok(repeated.startsWith(`200  \nBearer ${stars}`), repeated);
    for (const method of ["TRACE", "tRaCe", "track"]) {
      assert.match(await ask(method, url("/"), "Authorization: Bearer $TOKEN"), /^405 /, method);
    }
    const heard = echo.heard.length;
    const body = await ask("GET", url("/"), "Authorization: Bearer $TOKEN", "Content-Length: 4");
    assert.match(body, /^400 [^]*\nRefused by ahma_mcp: a body of GET is not carried\n/);
    assert.match(await ask("GET", url("/"), `Host: ${BOUND}/repos?`), /^421 /);
    assert.equal(echo.heard.length, heard);
  },
);

test?.("S33 a host that answers without end is read no faster than the command reads", async ({ echo, server }) => {
  const slow = `import time, urllib.request
answer = urllib.request.urlopen("https://${BOUND}:${echo.port}/endless")
answer.read(100)
time.sleep(2)`;
  await server.call("sandboxed_shell", { command: `python3 -c '${slow}'` });
  await withDeadline(echo.left.endless.promise, DEADLINE_MS, "the end of the request");
  assert.ok(echo.endlessBytes > 0 && echo.endlessBytes < MOST_AHEAD, `${echo.endlessBytes} bytes`);
});

test?.("S33 a host that is silent is left when its command ends", async ({ echo, server }) => {
  const ask = `import urllib.request; urllib.request.urlopen("https://${BOUND}:${echo.port}/silent")`;
  const asked = server.call("sandboxed_shell", { command: `python3 -c '${ask}'` });
  await withDeadline(echo.asked.promise, DEADLINE_MS, "the request");
  const [id] = /op_\w+/.exec((await server.call("status")).text) ?? [];
  await server.call("cancel", { operation_id: id });
  await withDeadline(echo.left.silent.promise, DEADLINE_MS, "the end of the request");
  assert.match((await asked).text, /cancelled/);
});

test?.("S33 another program of the machine gets nothing of the gateway of secrets", async ({ echo, ask }, bench) => {
  const before = echo.heard.length;
  const asked = await ask("GET", `https://${BOUND}:${echo.port}/`, "Authorization: Bearer $TOKEN");
  assert.match(asked, /^200 /);
  const [placeholder] = PLACEHOLDER.exec(await ask("GET", `https://${OTHER}:${echo.port}/`, "X-Note: $TOKEN")) ?? [];
  const ports = (await Promise.all((await processesWith(bench.marker)).map(({ pid }) => listenersOf(pid)))).flat();
  const statuses = await Promise.all([...new Set(ports)].map((port) => statusOf(port, `Bearer ${placeholder}`)));
  assert.deepEqual(statuses, [403]);
  const heard = echo.heard.slice(before).map(({ authorization }) => authorization);
  assert.deepEqual(heard, [`Bearer ${VALUE}`, null]);
});

test?.("S33 values come from private files and commands", async ({ echo, ask }, bench) => {
  await ask("GET", `https://${BOUND}:${echo.port}/`, "Authorization: Bearer $FILED");
  assert.equal(echo.heard.at(-1)?.authorization, `Bearer ${FILED}`);
  const leftRunning = Number(await Deno.readTextFile(`${bench.elsewhere}/left`));
  assert.notEqual(await Deno.readTextFile(`/proc/${leftRunning}/cmdline`), "", "it was waited for");
  Deno.kill(leftRunning, "SIGKILL");
  await ask("GET", `https://${BOUND}:${echo.port}/`, "Authorization: Bearer $MADE");
  assert.equal(echo.heard.at(-1)?.authorization, "Bearer made-by-command");
});

// src/app/secrets/secret_values_test.ts and src/settings/secrets_test.ts have the other refusals.
Deno.test("S33 an unusable value of a secret refuses the start without being shown", async () => {
  using place = new Workbench("ordinary");
  const file = place.write("token", VALUE);
  await Deno.chmod(file, 0o600);
  const named = ["--network", "packages", "--secret", `TOKEN=${BOUND}`];
  const problems: readonly (readonly [RegExp, flags: readonly string[], value: string])[] = [
    [/Cannot read secret "TOKEN" from ".*": commands can read it there/, [
      ...named,
      "--secret-file",
      `TOKEN=${file}`,
    ], ""],
    [/Cannot keep secret "TOKEN" without the sandbox/, [...named, "--no-sandbox"], VALUE],
  ];
  for (const [pattern, flags, value] of problems) {
    const text = await ServerProcess.start(place, {
      flags,
      permissions: ["--allow-net"],
      environment: { TOKEN: value },
    })
      .then(() => "started", (error: Error) => error.message);
    assert.match(text, pattern);
    assert.ok(!text.includes(VALUE), text);
  }
});

test?.(
  "S33 O6 a server of --mcp-config has the placeholder of a secret in its entry, and none where it could send it",
  async ({ server }) => {
    const kept = (await server.call("listed_facts", {})).text;
    assert.match(kept, /"KEPT": ?"Bearer ahma_secret_/);
    assert.doesNotMatch((await server.call("without_facts", {})).text, /ahma_secret_/);
    // A result while the entry is tried, an error of the protocol as soon as it has failed.
    const refused = JSON.stringify(await server.request("tools/call", { name: "open_facts", arguments: {} }));
    assert.match(refused, /Cannot keep secret \\"TOKEN\\" from server \\"open\\" with network full/);
    assert.ok(!kept.includes(VALUE));
  },
);

test?.(
  "S33 no file that the server or commands leave holds a secret after 16 calls, a crash and long output",
  async ({ echo, server }, bench) => {
    using place = new Workbench("ordinary");
    const ask = lineThatAsks("GET", `https://${BOUND}:${echo.port}/`, "Authorization: Bearer $TOKEN");
    const call = async (command: string) =>
      (await server.call("sandboxed_shell", { command, timeout_seconds: 120 })).text;
    const said: string[] = [];
    for (let at = 0; at < 2; at++) {
      said.push(...await Promise.all(Array.from({ length: 8 }, (_, of) => call(of === 0 ? ask : `echo $TOKEN; env`))));
    }
    said.push(await call(`ulimit -c unlimited; ${ask}; kill -SEGV $$`));
    said.push(await call(`${ask}; yes "$TOKEN" | head -c 2000000; ${ask}`));
    assert.equal(echo.heard.filter(({ authorization }) => authorization === `Bearer ${VALUE}`).length, 5);
    assert.ok(!said.join("\n").includes(VALUE));
    const control = place.write(`${place.home}/control`, VALUE);
    const temporary = Deno.env.get("TMPDIR") ?? "/tmp";
    const sessions = (await Array.fromAsync(Deno.readDir(temporary))).filter(({ name }) =>
      name.startsWith("ahma_mcp-")
    );
    const places = [bench.parent, place.parent, "/dev/shm", ...sessions.map(({ name }) => `${temporary}/${name}`)];
    const holders = await new Deno.Command("grep", { args: ["-raFls", VALUE, ...places] }).output();
    assert.equal(new TextDecoder().decode(holders.stdout), `${control}\n`);
  },
);

Deno.test("S33 H3 an isolated session has the secret too", async () => {
  using bench = new Workbench("ordinary");
  await using echo = await HttpsEcho.open(bench, HOSTS);
  bench.write("root/file", "");
  await using server = await HttpServerProcess.start(bench, {
    flags: ["--session-isolation", "--require-token", ...flagsFor(echo.port, `${BOUND}:${echo.port}`)],
    prefix: namesHere(bench, HOSTS.join(" ")),
    environment: { TOKEN: VALUE, SSL_CERT_FILE: echo.certificate },
  });
  const token = (await Deno.readTextFile(`${bench.home}/.local/state/ahma/http_token`)).trim();
  await using client = await HttpClient.connect(server, {
    roots: [`${bench.scope}/root`],
    headers: { authorization: `Bearer ${token}` },
  });
  const command = lineThatAsks("GET", `https://${BOUND}:${echo.port}/`, "Authorization: Bearer $TOKEN");
  assert.match((await client.call("sandboxed_shell", { command })).text, /^200 Bearer \*+ /);
  assert.equal(echo.heard.at(-1)?.authorization, `Bearer ${VALUE}`);
});

async function run(program: string, ...args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args: [...args] }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** Ports on which a process listens. */
async function listenersOf(pid: number): Promise<readonly number[]> {
  const sockets = new Set<string>();
  for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
    const target = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
    const [, inode] = /^socket:\[(\d+)\]$/.exec(target) ?? [];
    if (inode !== undefined) sockets.add(inode);
  }
  const table = await Deno.readTextFile("/proc/net/tcp");
  return table.split("\n").slice(1).flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    return state === "0A" && sockets.has(inode ?? "") ? [parseInt(local?.split(":")[1] ?? "", 16)] : [];
  });
}

/** What a server at this port answers, as the host to which the secret is bound. */
async function statusOf(port: number, authorization: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const asked = requestOverTls({
    host: "127.0.0.1",
    port,
    servername: BOUND,
    // ahma rule ignore tls-unchecked
    rejectUnauthorized: false, // what it answers is asked, not who it is
    headers: { host: BOUND, authorization },
    agent: false,
  }, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  });
  asked.on("error", reject);
  asked.end();
  return await promise;
}
