/** HTTP/1.1 with as little work as possible, so that what is measured is the server: the client's `fetch` takes 0.2 ms. */

/** The answer to one POST. */
export interface Answered {
  readonly status: number;
  /** The value of a header; its name in lower case. Undefined: there is none. */
  readonly header: (name: string) => string | undefined;
  /** The last message of the body, as JSON, whatever its form; empty: none. */
  readonly message: string;
}

const BUFFER_BYTES = 256 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Connections to one server, each kept for the next request. */
export class HttpConnections implements Disposable {
  readonly #url: URL;
  readonly #all: Connection[] = [];
  readonly #idle: Connection[] = [];

  constructor(url: URL) {
    this.#url = url;
  }

  /** Sends one message, on a connection of its own. */
  async post(headers: Readonly<Record<string, string>>, message: object): Promise<Answered> {
    const connection = this.#idle.pop() ?? await this.#open();
    const body = encoder.encode(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const all = {
      host: this.#url.host,
      "content-type": "application/json",
      "content-length": String(body.length),
      accept: "application/json, text/event-stream",
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = encoder.encode(`POST ${this.#url.pathname} HTTP/1.1\r\n${lines.join("")}\r\n`);
    const request = new Uint8Array(head.length + body.length);
    request.set(head);
    request.set(body, head.length);
    const answered = await connection.exchange(request);
    this.#idle.push(connection);
    return answered;
  }

  [Symbol.dispose](): void {
    for (const connection of this.#all) connection[Symbol.dispose]();
  }

  async #open(): Promise<Connection> {
    const connection = new Connection(
      await Deno.connect({ hostname: this.#url.hostname, port: Number(this.#url.port) }),
    );
    this.#all.push(connection);
    return connection;
  }
}

class Connection implements Disposable {
  readonly #stream: Deno.TcpConn;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);

  constructor(stream: Deno.TcpConn) {
    stream.setNoDelay();
    this.#stream = stream;
  }

  /** @throws Error when the server closes the connection, or answers with more than the buffer holds. */
  async exchange(request: Uint8Array): Promise<Answered> {
    for (let written = 0; written < request.length;) written += await this.#stream.write(request.subarray(written));
    for (let filled = 0; filled < BUFFER_BYTES;) {
      const read = await this.#stream.read(this.#buffer.subarray(filled));
      if (read === null) throw new Error("The server closed the connection before it answered");
      filled += read;
      const answered = whole(this.#buffer.subarray(0, filled));
      if (answered !== undefined) return answered;
    }
    throw new Error(`The server answered with more than ${BUFFER_BYTES} bytes`);
  }

  [Symbol.dispose](): void {
    this.#stream.close();
  }
}

/** The answer in these bytes; undefined: there is more to come. */
function whole(bytes: Uint8Array): Answered | undefined {
  const text = decoder.decode(bytes);
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const header = (name: string) => new RegExp(`^${name}: (.*?)\r?$`, "im").exec(head)?.[1];
  const length = header("content-length");
  const isChunked = length === undefined && header("transfer-encoding") !== undefined;
  const isWhole = isChunked ? text.endsWith("\r\n0\r\n\r\n") : bytes.length - end - 4 >= Number(length ?? 0);
  if (!isWhole) return undefined;
  const message = text.slice(end).match(/\{.*\}/g)?.at(-1) ?? "";
  return { status: Number(head.split(" ", 2)[1]), header, message };
}
