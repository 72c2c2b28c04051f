/** A command that calls the port of its own server gets no scope there, whatever way it takes (S6). */
import assert from "node:assert/strict";
import { HttpClient } from "../_support/clients/http_client.ts";
import { HttpServerProcess } from "../_support/servers/http_server.ts";
import type { Shared } from "../_support/sharing.ts";
import { Workbench } from "../_support/workbench.ts";
import { testCeiling, testShort } from "./servers.ts";

const SCRIPT = Deno.readTextFileSync(new URL("../fixtures/call_back.py", import.meta.url));
const REFUSED = /status 403 .*(one of this server's own commands|which process holds the other end)/;

interface Caller {
  readonly hows: readonly string[];
  readonly server: HttpServerProcess;
  /** A port that a process outside uses with this server. */
  readonly borrowed: number;
  readonly token: string;
}

function words({ hows, server, borrowed, token }: Caller): readonly string[] {
  return ["call_back.py", hows.join(","), String(server.port), String(borrowed), token];
}

/** Runs the program as a command, and as a child that the command leaves behind. */
async function assertRefused(client: HttpClient, caller: Caller): Promise<void> {
  const line = (hows: readonly string[]) =>
    ["python3", ...words({ ...caller, hows }).map((word) => `'${word}'`)].join(" ");
  const begun = `setsid sh -c "${line(caller.hows.slice(0, 1))} > out; touch done"`;
  const child = `(${begun} &); until [ -e done ]; do sleep 0.02; done; cat out`;
  const { text } = await client.shell(`${line(caller.hows)}; echo; ${child}`);
  const answers = text.split("\n").filter((answer) => answer.includes(": "));
  assert.deepStrictEqual(answers.map((answer) => answer.split(":")[0]), [...caller.hows, caller.hows[0]], text);
  for (const answer of answers) assert.match(answer, REFUSED);
}

/** The same program is served when it is no command of the server: a person, or a client, runs it. */
async function assertServed(directory: string, caller: Caller): Promise<void> {
  const { stdout } = await new Deno.Command("python3", { args: [...words(caller)], cwd: directory }).output();
  assert.strictEqual(new TextDecoder().decode(stdout), caller.hows.map((how) => `${how}: status 200 \n`).join(""));
}

/** Commands of a server below a ceiling; without one it is tried over IPv6. */
async function refusesCommands({ bench, server }: Shared<HttpServerProcess>, token = "-"): Promise<void> {
  const root = `${bench.scope}/calls`;
  bench.write("calls/call_back.py", SCRIPT);
  const headers = token === "-" ? {} : { authorization: `Bearer ${token}` };
  await using client = await HttpClient.connect(server, { roots: [root], headers });
  using outside = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  const hows = ["plain", "borrowed", ...token === "-" ? ["borrowed in flight"] : [], "modern"];
  const caller = { hows, server, borrowed: outside.localAddr.port, token };
  await assertRefused(client, caller);
  await assertServed(root, { ...caller, hows: hows.filter((how) => how !== "borrowed in flight") });
  assert.match((await client.shell("pwd")).text, new RegExp(root));
}

testCeiling(
  "S6 H8 a command gets no session and no request of its own server served as ordinary",
  (shared) => refusesCommands(shared),
);

testShort(
  "S6 H8 a command gets no session and no request of its own server served with a token it has got hold of, as root" +
    (Deno.uid() === 0 ? "" : " (ignored: only root can)"),
  async (shared) => await refusesCommands(shared, await tokenOf(shared.bench)),
  { ignore: Deno.uid() !== 0 },
);

const FIRST_OF_ALL = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
const [prefix, where] = Deno.uid() === 0
  ? [FIRST_OF_ALL, "the first process of its container"]
  : [[], "no first process of a container: only root makes one"];

Deno.test(`S6 H8 a command that calls back over IPv6 gets no session, without a ceiling, of a server that is ${where}`, async () => {
  using bench = new Workbench();
  bench.write("root/call_back.py", SCRIPT);
  const root = `${bench.scope}/root`;
  // A process outside the container cannot be told from any other, and has the token.
  const flags = ["--session-isolation", "--require-token", "--http-host", "::1"];
  await using server = await HttpServerProcess.start(bench, { flags, prefix });
  // The first process of all does not hear SIGTERM for it.
  using _ = { [Symbol.dispose]: () => server.kill("SIGKILL") };
  const token = await tokenOf(bench);
  await using client = await HttpClient.connect(server, {
    roots: [root],
    headers: { authorization: `Bearer ${token}` },
  });
  const caller = { hows: ["ipv6"], server, borrowed: 0, token };
  await assertRefused(client, caller);
  await assertServed(root, caller);
});

async function tokenOf(bench: Workbench): Promise<string> {
  return (await Deno.readTextFile(`${bench.home}/.local/state/ahma/http_token`)).trim();
}
