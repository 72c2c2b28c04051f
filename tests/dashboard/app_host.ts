/** A host that shows pages of tools as SEP-1865 says: the page has an origin of its own, and the policy of the SEP. */
import assert from "node:assert/strict";
import { MODERN_META, type RpcMessage } from "../_support/json_rpc.ts";
import type { Era, ServerProcess } from "../_support/server_process.ts";

/** The page of operations. */
export const PAGE = "ui://ahma/operations";
/** The capabilities of a host that shows pages. */
export const SHOWS_APPS = {
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};

export interface Listed {
  readonly name: string;
  readonly _meta?: object;
}

/** A client of that era, with these capabilities. */
export class Host {
  readonly #server: ServerProcess;
  readonly #meta: object;

  private constructor(server: ServerProcess, meta: object) {
    this.#server = server;
    this.#meta = meta;
  }

  static async of(server: ServerProcess, era: Era, capabilities: object): Promise<Host> {
    if (era === "2026-07-28") {
      const envelope = { ...MODERN_META, "io.modelcontextprotocol/clientCapabilities": capabilities };
      return new Host(server, { _meta: envelope });
    }
    const clientInfo = { name: "host", version: "1" };
    await server.request("initialize", { protocolVersion: era, capabilities, clientInfo });
    await server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return new Host(server, {});
  }

  async ask(method: string, params: object = {}): Promise<RpcMessage> {
    return await this.#server.request(method, { ...params, ...this.#meta });
  }

  async tools(): Promise<readonly Listed[]> {
    const { result } = await this.ask("tools/list");
    return result?.["tools"] as readonly Listed[];
  }

  /** The one text of a resource. */
  async read(uri: string): Promise<{ readonly mimeType: string; readonly text: string }> {
    const { result, error } = await this.ask("resources/read", { uri });
    const [content] = result?.["contents"] as readonly { readonly mimeType: string; readonly text: string }[] ??
      assert.fail(JSON.stringify(error));
    return content ?? assert.fail(uri);
  }
}

/** What the SEP demands where a page declares nothing. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
].join("; ");

const HOST_SCRIPT = `
  const frame = document.querySelector("iframe");
  const methods = [];
  window.methods = methods;
  addEventListener("message", async ({ source, data }) => {
    if (source !== frame.contentWindow || data.method === undefined) return;
    methods.push(data.method);
    if (data.id === undefined) return;
    const tool = { name: "status", inputSchema: { type: "object" } };
    const answer = data.method === "ui/initialize"
      ? { result: { protocolVersion: "2026-01-26", hostCapabilities: { serverTools: {}, serverResources: {} },
          hostInfo: { name: "host", version: "1" }, hostContext: { theme: "dark", toolInfo: { tool } } } }
      : await (await fetch("/rpc", { method: "POST", body: JSON.stringify(data) })).json();
    source.postMessage({ jsonrpc: "2.0", id: data.id, ...answer }, "*");
  });`;

export interface AppHost extends AsyncDisposable {
  /** Of the page of the host. */
  readonly url: string;
}

/** `html`: the page that is shown; `ask`: passes a request on to the server. */
export function startAppHost(
  html: string,
  ask: (method: string, params: object) => Promise<RpcMessage>,
): AppHost {
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} } as const;
  const type = { "content-type": "text/html; charset=utf-8" };
  const inner = Deno.serve(
    options,
    () => new Response(html, { headers: { ...type, "content-security-policy": POLICY } }),
  );
  const frame =
    `<iframe src="http://localhost:${inner.addr.port}/" sandbox="allow-scripts" width="1100" height="700"></iframe>`;
  const outer = Deno.serve(options, async (request) => {
    if (new URL(request.url).pathname !== "/rpc") {
      return new Response(`<!doctype html>${frame}<script>${HOST_SCRIPT}</script>`, { headers: type });
    }
    const { method, params } = await request.json();
    const { result, error } = await ask(method, params);
    return Response.json(error === undefined ? { result } : { error });
  });
  return {
    url: `http://127.0.0.1:${outer.addr.port}/`,
    async [Symbol.asyncDispose]() {
      await Promise.all([inner.shutdown(), outer.shutdown()]);
    },
  };
}
