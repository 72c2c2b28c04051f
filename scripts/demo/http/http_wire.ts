/** What came back for a request written by hand. */
export interface RawAnswer {
  readonly status: number;
  /** Of the error in the body; empty where there is none. */
  readonly message: string;
}

/** The first message of a session. */
export const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "by hand", version: "1" } },
});

/** A request of a session that has begun. */
export function ping(): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
}

/** Posts `body` with headers that no HTTP library would send, lines joined by CRLF. */
export async function raw(url: URL, headers: string, body: string): Promise<RawAnswer> {
  using connection = await Deno.connect({ hostname: url.hostname, port: Number(url.port) });
  const writer = connection.writable.getWriter();
  const lines = [
    `POST ${url.pathname} HTTP/1.1`,
    headers,
    "Connection: close",
    "Content-Type: application/json",
    "Accept: application/json",
    `Content-Length: ${body.length}`,
  ];
  await writer.write(new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n${body}`));
  const text = await new Response(connection.readable).text();
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? "";
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), message: JSON.parse(`"${message}"`) };
}
