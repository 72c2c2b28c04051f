/** A server at an address that writes its answers byte by byte, as no HTTP library would. */

/** What it does at the path of this name. */
export type RawHarm = "session" | "version" | "drip";

/** A header of its own, in what a client repeats. */
export const INJECTED = "X-Injected: 42";

/** Between two bytes of an answer that has no end, milliseconds. */
const PAUSE_MS = 20;
const ENCODER = new TextEncoder();

export class RawHttp implements AsyncDisposable {
  /** Heads of the requests that came, as they were written. */
  readonly heads: string[] = [];
  /** Settles when the program reads no more of the answer without end. */
  readonly left = Promise.withResolvers<void>();
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.Conn>();
  readonly #accepting = this.#accept();

  url(harm: RawHarm): string {
    return `http://127.0.0.1:${this.#listener.addr.port}/${harm}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#open) connection.close();
    await this.#accepting;
  }

  async #accept(): Promise<void> {
    const served: Promise<void>[] = [];
    for await (const connection of this.#listener) {
      this.#open.add(connection);
      // The program ends connections as it likes.
      served.push(this.#serve(connection).catch(() => {}).finally(() => this.#close(connection)));
    }
    await Promise.all(served);
  }

  #close(connection: Deno.Conn): void {
    if (this.#open.delete(connection)) connection.close();
  }

  /** One request a connection. */
  async #serve(connection: Deno.Conn): Promise<void> {
    const request = await readRequest(connection);
    if (request === undefined) return;
    this.heads.push(request.head);
    const { id, method } = request.message;
    const harm = /^\w+ \/(\w+)/.exec(request.head)?.[1] as RawHarm;
    if (method === "tools/call" && harm === "drip") return await this.#drip(connection);
    const isHello = method === "initialize";
    const version = isHello && harm === "version" ? `2025-11-25\r\n${INJECTED}` : "2025-11-25";
    const result = method === "initialize"
      ? { protocolVersion: version, capabilities: { tools: {} }, serverInfo: { name: "raw", version: "1" } }
      : method === "tools/list"
      ? { tools: [{ name: "do", inputSchema: { type: "object" } }] }
      : { content: [{ type: "text", text: "done" }] };
    const text = id === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id, result });
    const session = isHello && harm === "session" ? `Mcp-Session-Id: a\r${INJECTED}\r\n` : "";
    const status = method === undefined ? "405 Not Allowed" : text === "" ? "202 Accepted" : "200 OK";
    await write(connection, `HTTP/1.1 ${status}\r\n${session}${headOf(text.length)}${text}`);
  }

  async #drip(connection: Deno.Conn): Promise<void> {
    try {
      await write(connection, `HTTP/1.1 200 OK\r\n${headOf(1_000_000)}`);
      for (;;) {
        await write(connection, " ");
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    } finally {
      this.left.resolve();
    }
  }
}

/** Asks as a client that repeats `header` as it came. */
export async function askNaively(url: string, header: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  await write(connection, `POST ${pathname} HTTP/1.1\r\n${header}\r\n${headOf(text.length)}${text}`);
  await connection.read(new Uint8Array(1));
}

function headOf(length: number): string {
  return `Content-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`;
}

async function write(connection: Deno.Conn, text: string): Promise<void> {
  for (let bytes = ENCODER.encode(text); bytes.length > 0;) bytes = bytes.subarray(await connection.write(bytes));
}

interface RawRequest {
  readonly head: string;
  readonly message: { readonly id?: unknown; readonly method?: string };
}

/** Undefined: the connection was closed before a whole request had come. */
async function readRequest(connection: Deno.Conn): Promise<RawRequest | undefined> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of connection.readable.values({ preventCancel: true })) {
    text += decoder.decode(chunk, { stream: true });
    const [head = "", body] = text.split("\r\n\r\n");
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (body !== undefined && body.length >= length) return { head, message: body === "" ? {} : JSON.parse(body) };
  }
  return undefined;
}
