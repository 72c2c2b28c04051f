/** A third-party server that never gets to serve: no client waits longer than it was told (H10, H6). */
import assert from "node:assert/strict";
import { HttpClient } from "../../_support/clients/http_client.ts";
import { HttpServerProcess } from "../../_support/servers/http_server.ts";
import { Workbench } from "../../_support/workbench.ts";

/** Seconds: for who never answers, and for who does, however busy the machine is. */
const [SHORT, LONG] = ["8", "60"];

function behind(bench: Workbench, script: string): readonly string[] {
  const path = bench.write(`${bench.elsewhere}/behind`, script);
  const program = script.includes("import") ? "python3" : "sh";
  return ["--server-command", program, "--server-args", path, "--read", bench.elsewhere, "--debug"];
}

/** What was written by a start that is refused. */
async function refusal(bench: Workbench, flags: readonly string[]): Promise<string> {
  let said = "";
  await assert.rejects(HttpServerProcess.start(bench, { flags }), (thrown) => {
    said = String(thrown);
    return said.includes("The server did not start");
  });
  return said;
}

function startsIn(said: string): number {
  return said.split("STDERR: I begin").length - 1;
}

const MUTE = `
printf 'I begin\\nwaiting for a lock\\n' >&2
exec cat > /dev/null
`;

const REFUSES = `
import json, sys
sys.stderr.write("I begin\\n")
sys.stderr.flush()
for line in sys.stdin:
    answer = {"jsonrpc": "2.0", "id": json.loads(line)["id"], "error": {"code": -32000, "message": "no licence"}}
    print(json.dumps(answer), flush=True)
`;

const BREAKS = `
echo I begin >&2
exit 4
`;

const [SHARED, ISOLATED] = [[], ["--session-isolation"]] as const;

interface Stuck {
  readonly script: string;
  readonly limit: string;
  /** How often it is started. */
  readonly starts: number;
  readonly said: RegExp;
  /** Shared or isolated sessions: a start tries the server in the same way in both. */
  readonly mode: readonly string[];
}

const SERVERS: Readonly<Record<string, Stuck>> = {
  "never answers initialize": {
    script: MUTE,
    limit: SHORT,
    starts: 1,
    mode: SHARED,
    said:
      /Cannot start the server "sh \S+": It did not answer initialize within 8 s \(--handshake-timeout\)\. Its last words: I begin \| waiting for a lock/,
  },
  "refuses initialize": {
    script: REFUSES,
    limit: LONG,
    starts: 1,
    mode: ISOLATED,
    said: /Cannot start the server "python3 \S+": It refused initialize: no licence\. Its last words: I begin/,
  },
  "breaks off": {
    script: BREAKS,
    limit: LONG,
    starts: 3,
    mode: SHARED,
    said: /Cannot start the server "sh \S+": It ended with exit code 4\. Its last words: I begin/,
  },
};

const WHAT = Object.keys(SERVERS).join(", ");

Deno.test(`H10 S12 a start is refused, and why is said, when the server behind ${WHAT}`, async () => {
  await Promise.all(
    Object.entries(SERVERS).map(async ([what, { script, limit, starts, said, mode }]) => {
      using bench = new Workbench();
      const text = await refusal(bench, [...behind(bench, script), "--handshake-timeout", limit, ...mode]);
      assert.match(text, said, `${what}: ${text}`);
      assert.strictEqual(startsIn(text), starts, `${what}: ${text}`);
    }),
  );
});

/** Serves the first time, dies of a call, and hangs from then on. */
const SERVES_ONCE = `
import json, os, sys
if os.path.exists("begun"):
    open("begun", "a").write("again")
    sys.stderr.write("waiting for a lock\\n")
    sys.stderr.flush()
    sys.stdin.read()
open("begun", "w").write("once ")
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "tools/call":
        os._exit(3)
    if "id" in message:
        answer = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}), flush=True)
`;

Deno.test("H6 H10 a server that dies and hangs at its restart does not keep clients waiting", async () => {
  using bench = new Workbench();
  await using server = await HttpServerProcess.start(bench, {
    flags: [...behind(bench, SERVES_ONCE), "--handshake-timeout", "9"],
  });
  await using client = await HttpClient.connect(server);
  const died = await client.request("tools/call", { name: "any" });
  assert.match(died.error?.message ?? "", /ended while this request ran: It ended with exit code 3/);
  // The first waits for the handshake that never comes; the next is told at once.
  for (const method of ["tools/call", "tools/list"]) {
    const { error } = await client.request(method, { name: "any" });
    assert.match(
      error?.message ?? "",
      /keeps failing; restarts are paused\. It did not answer initialize within 9 s .* waiting for a lock/,
    );
  }
  assert.strictEqual(await Deno.readTextFile(`${bench.scope}/begun`), "once again");
});
