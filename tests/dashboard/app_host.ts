/** A host that shows pages of tools as SEP-1865 says: the page has an origin of its own, and the policy of the SEP. */
import type { RpcMessage } from "../_support/json_rpc.ts";

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
