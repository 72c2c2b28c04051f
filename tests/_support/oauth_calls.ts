/**
 * A process with many calls at once through one connection with the user's login, as a server of ours makes them.
 *
 *   deno run -A oauth_calls.ts STATE_DIRECTORY ADDRESS CALLS
 *
 * It prints "ready" when it is connected, calls at the next line of stdin, and prints each answer or error.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SILENT } from "../../src/base/log.ts";
import { LoginFiles } from "../../src/upstream/oauth/store/login_files.ts";
import { TokenSource } from "../../src/upstream/oauth/token_source.ts";
import { transportAuth } from "../../src/upstream/oauth/transport_auth.ts";

const [directory = "", address = "", calls = "1"] = Deno.args;
const source = new TokenSource({
  files: new LoginFiles(directory, SILENT),
  serverUrl: address,
  loginHint: "ahma_mcp auth login",
  now: () => Date.now(),
  log: SILENT,
});
const client = new Client({ name: "calls", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(address), transportAuth(source)));
await print("ready");
await Deno.stdin.read(new Uint8Array(1));
const answers = Array.from({ length: Number(calls) }, async () => {
  try {
    const { content } = await client.callTool({ name: "guarded" });
    return JSON.stringify(content);
  } catch (thrown) {
    return String(thrown);
  }
});
await print(JSON.stringify(await Promise.all(answers)));
await client.close();
Deno.exit(0);

async function print(line: string): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(`${line}\n`));
}
