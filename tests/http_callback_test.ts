/** A command that calls the port of its own server gets no scope there, whatever way it takes (S6). */
import assert from "node:assert/strict";
import { HttpClient } from "./_support/http_client.ts";
import { HttpServerProcess } from "./_support/http_server.ts";
import { usersAtHand, Workbench } from "./_support/workbench.ts";

const SCRIPT = await Deno.readTextFile(new URL("fixtures/call_back.py", import.meta.url));
const OWN = /status 403 .*(one of this server's own commands|which process holds the other end)/;

interface Caller {
  readonly how: string;
  readonly server: HttpServerProcess;
  /** A port that somebody outside uses with this server. */
  readonly borrowed: number;
  readonly token: string;
}

function words({ how, server, borrowed, token }: Caller): readonly string[] {
  return ["call_back.py", how, String(server.port), String(borrowed), token];
}

async function fromOutside(directory: string, caller: Caller): Promise<string> {
  const { stdout } = await new Deno.Command("python3", { args: [...words(caller)], cwd: directory }).output();
  return new TextDecoder().decode(stdout);
}

async function fromInside(client: HttpClient, caller: Caller): Promise<string> {
  return (await client.shell(["python3", ...words(caller).map((word) => `'${word}'`)].join(" "))).text;
}

const SETUPS: Readonly<Record<string, (scope: string) => readonly string[]>> = {
  "without a ceiling": () => [],
  "under a ceiling": (scope) => ["--sandbox-scope", scope],
  "with a token it has got hold of": (scope) => ["--sandbox-scope", scope, "--require-token"],
};

for (const user of usersAtHand()) {
  for (const [setup, flags] of Object.entries(SETUPS)) {
    Deno.test(`S6 H8 a command gets no session and no request of its own server served ${setup}, as ${user}`, async () => {
      using bench = new Workbench(user);
      const root = `${bench.scope}/root`;
      bench.write("root/call_back.py", SCRIPT);
      await using server = await HttpServerProcess.start(bench, {
        flags: ["--session-isolation", ...flags(bench.scope)],
      });
      const token = setup.includes("token") ? await tokenOf(bench) : "-";
      const headers = token === "-" ? {} : { authorization: `Bearer ${token}` };
      await using client = await HttpClient.connect(server, { roots: [root], headers });
      using outside = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
      const borrowed = outside.localAddr.port;
      const ways = ["plain", "borrowed", ...setup.includes("ceiling") ? ["borrowed in flight"] : []];
      const hows = flags("").length > 0 ? [...ways, "modern"] : ways;
      for (const how of hows) {
        assert.match(await fromInside(client, { how, server, borrowed, token }), OWN, how);
      }
      // The very same programs are served when somebody else runs them.
      for (const how of hows.filter((one) => one !== "borrowed in flight")) {
        assert.strictEqual(await fromOutside(root, { how, server, borrowed, token }), "status 200 \n", how);
      }
      assert.match((await client.shell("pwd")).text, new RegExp(root));
    });
  }
}

Deno.test("S6 H8 a command that calls back over IPv6 gets no session", async () => {
  using bench = new Workbench();
  bench.write("root/call_back.py", SCRIPT);
  const root = `${bench.scope}/root`;
  await using server = await HttpServerProcess.start(bench, { flags: ["--session-isolation", "--http-host", "::1"] });
  await using client = await HttpClient.connect(server, { roots: [root] });
  const caller = { how: "ipv6", server, borrowed: 0, token: "-" };
  assert.match(await fromInside(client, caller), OWN);
  assert.strictEqual(await fromOutside(root, caller), "status 200 \n");
});

const FIRST_OF_ALL = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];

Deno.test({
  name: `S6 H8 a command gets no session of a server that is the first process of its container${
    Deno.uid() === 0 ? "" : ": only root makes one"
  }`,
  ignore: Deno.uid() !== 0,
  async fn() {
    using bench = new Workbench("root");
    bench.write("root/call_back.py", SCRIPT);
    const root = `${bench.scope}/root`;
    // Whoever is outside of the container cannot be told from anybody, and has the token.
    const flags = ["--session-isolation", "--require-token"];
    await using server = await HttpServerProcess.start(bench, { flags, prefix: FIRST_OF_ALL });
    // The first process of all does not hear SIGTERM for it.
    using _ = { [Symbol.dispose]: () => server.kill("SIGKILL") };
    const token = await tokenOf(bench);
    await using client = await HttpClient.connect(server, {
      roots: [root],
      headers: { authorization: `Bearer ${token}` },
    });
    const caller = { how: "plain", server, borrowed: 0, token };
    assert.match(await fromInside(client, caller), OWN);
    assert.strictEqual(await fromOutside(root, caller), "status 200 \n");
  },
});

async function tokenOf(bench: Workbench): Promise<string> {
  return (await Deno.readTextFile(`${bench.home}/.local/state/ahma/http_token`)).trim();
}
