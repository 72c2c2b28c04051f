/** Asks an MCP server how to log in, by a request without a token. */
import { messageOf, UserError } from "../../../base/errors.ts";
import { type Challenge } from "../token_source.ts";
import { challengeOf } from "../transport_auth.ts";

const ANSWER_MS = 10_000;
/** A request that begins no session. */
const PING = { jsonrpc: "2.0", id: 0, method: "ping" };

/** The server's challenge; empty if no login is needed for this. @throws {UserError} when it does not answer */
export async function askServer(url: URL, stop: AbortSignal): Promise<Challenge> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-method": PING.method,
      },
      body: JSON.stringify(PING),
      redirect: "manual",
      signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]),
    });
    await response.body?.cancel();
    return response.status === 401 ? await challengeOf(response) : {};
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotCapable) {
      throw new UserError(
        `Cannot connect to "${url.host}": this runtime was started without network permission. ` +
          "Start the program by its script (dist/ahma_mcp), or give deno --allow-net",
      );
    }
    const reason = messageOf(thrown instanceof Error ? thrown.cause ?? thrown : thrown);
    throw new UserError(`Cannot connect to "${url.host}": ${reason}`, { cause: thrown });
  }
}
