/** Where requests of a login go that a server behind it names: to addresses that were looked up and checked, or nowhere. */
import assert from "node:assert/strict";
import { browserOf } from "../_support/login/login.ts";
import { runProgram } from "../_support/terminal.ts";
import { Workbench } from "../_support/workbench.ts";

/** No name server has a name in this domain. */
const NAMELESS = "https://auth.invalid";

/** An MCP server that wants a login, and names an authorization server whose name leads to no address. */
function misleading(request: Request): Response {
  const { origin, pathname } = new URL(request.url);
  if (pathname.startsWith("/.well-known/oauth-protected-resource")) {
    return Response.json({ resource: `${origin}/mcp`, authorization_servers: [NAMELESS] });
  }
  return new Response(null, { status: pathname === "/mcp" ? 401 : 404, headers: { "WWW-Authenticate": "Bearer" } });
}

/** First lines of what came to a proxy that answers nothing. */
async function linesAtProxy(proxy: Deno.TcpListener, lines: string[]): Promise<void> {
  for await (const connection of proxy) {
    const chunk = new Uint8Array(1024);
    const length = await connection.read(chunk) ?? 0;
    lines.push(new TextDecoder().decode(chunk.subarray(0, length)).split("\r\n")[0] ?? "");
    connection.close();
  }
}

Deno.test("O3 a name without an address is not asked: the runtime does not look it up again, with no_proxy neither", async () => {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, misleading);
  const proxy = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const lines: string[] = [];
  const serving = linesAtProxy(proxy, lines);
  const https_proxy = `http://127.0.0.1:${proxy.addr.port}`;
  const login = async (environment: Readonly<Record<string, string>>) => {
    using bench = new Workbench();
    const line = ["auth", "login", "--oauth-port", "0", `http://127.0.0.1:${server.addr.port}/mcp`];
    const options = { script: true, environment: { ...browserOf(bench), ...environment } };
    const { code, stderr } = await runProgram(bench, line, options);
    return [code, /Cannot ask "https:\/\/auth\.invalid[^"]*": (.*)/.exec(stderr)?.[1] ?? stderr];
  };
  const nowhere = [1, "the name of its host leads to no address"];
  assert.deepStrictEqual(await login({}), nowhere);
  assert.deepStrictEqual(await login({ https_proxy, no_proxy: "intranet, .invalid" }), nowhere);
  assert.deepStrictEqual(lines, []);
  // A proxy looks names up itself.
  const [code, why] = await login({ https_proxy });
  assert.deepStrictEqual([code, why === nowhere[1], lines[0]], [1, false, "CONNECT auth.invalid:443 HTTP/1.1"]);
  proxy.close();
  await serving;
});
