/**
 * An HTTPS server of this machine that answers with what it received, and records it; below `/git/` it is a git host.
 * `/before` answers with the credentials of the previous request, `/packed` in gzip, `/endless` without end, and
 * `/silent` not at all.
 */
import { makeCertificate } from "../../../src/secrets/session_certificate.ts";
import type { Workbench } from "../workbench.ts";

/** One request as it came. */
export interface HeardRequest {
  readonly line: string;
  readonly host: string | null;
  readonly authorization: string | null;
  readonly bytes: number;
  /** Its other headers, and the beginning of its body. */
  readonly rest: string;
}

export class HttpsEcho implements AsyncDisposable {
  readonly heard: HeardRequest[] = [];
  /** When `/silent` was asked. */
  readonly asked = Promise.withResolvers<void>();
  /** When the client of a path has gone. */
  readonly left = { endless: Promise.withResolvers<void>(), silent: Promise.withResolvers<void>() };
  /** Of `/endless`. */
  endlessBytes = 0;
  /** Where the certificate of its authority is, which programs must trust. */
  readonly certificate: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #repositories: string;

  private constructor(bench: Workbench, { authority, certificate, key }: Awaited<ReturnType<typeof makeCertificate>>) {
    this.certificate = bench.write(`${bench.parent}/authority.pem`, authority);
    this.#repositories = `${bench.parent}/repositories`;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, cert: certificate, key, onListen: () => {} },
      async (request) => await this.#answer(request),
    );
  }

  static async open(bench: Workbench, hosts: readonly string[]): Promise<HttpsEcho> {
    return new HttpsEcho(bench, await makeCertificate(hosts));
  }

  get port(): number {
    return this.#server.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const body = await request.bytes();
    const [host, authorization] = [request.headers.get("host"), request.headers.get("authorization")];
    const line = `${request.method} ${pathname}${search}`;
    const others = [...request.headers].filter(([name]) => name !== "authorization");
    const start = new TextDecoder("latin1").decode(body.subarray(0, 4096));
    const rest = [...others.map(([name, value]) => `${name}: ${value}`), start].join("\n");
    this.heard.push({ line, host, authorization, bytes: body.length, rest });
    if (pathname === "/silent") return await this.#silence(request.signal);
    if (pathname === "/endless") return this.#endless();
    if (pathname === "/before") return new Response(this.heard.at(-2)?.authorization);
    if (pathname.startsWith("/git/")) return await this.#askGit(request, body);
    const headers = [...request.headers].map(([name, value]) => `${name}: ${value}\n`).join("");
    const text = `${line}\n${headers}`;
    const moved = pathname === "/moved" ? { location: search.slice(1) } : {};
    const status = pathname === "/moved" ? 302 : 200;
    if (pathname !== "/packed") {
      return new Response(text, {
        status,
        headers: { ...authorization !== null && { "x-echo": authorization }, ...moved },
      });
    }
    const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
    return new Response(packed, { headers: { "content-encoding": "gzip" } });
  }

  async #silence(signal: AbortSignal): Promise<Response> {
    this.asked.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    this.left.silent.resolve();
    return new Response();
  }

  #endless(): Response {
    const part = new Uint8Array(64 * 1024);
    return new Response(
      new ReadableStream({
        pull: (controller) => {
          this.endlessBytes += part.length;
          controller.enqueue(part);
        },
        cancel: () => this.left.endless.resolve(),
      }),
    );
  }

  /** git's own server, by the Common Gateway Interface. */
  async #askGit(request: Request, body: Uint8Array): Promise<Response> {
    if (request.headers.get("authorization") === null) {
      return new Response(null, { status: 401, headers: { "www-authenticate": "Basic" } });
    }
    const { pathname, searchParams } = new URL(request.url);
    const child = new Deno.Command("git", {
      args: ["http-backend"],
      env: {
        GIT_PROJECT_ROOT: this.#repositories,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: pathname.slice("/git".length),
        QUERY_STRING: searchParams.toString(),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers.get("content-type") ?? "",
        CONTENT_LENGTH: String(body.length),
        HTTP_CONTENT_ENCODING: request.headers.get("content-encoding") ?? "",
        REMOTE_USER: "someone",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "safe.directory",
        GIT_CONFIG_VALUE_0: "*",
      },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(body).catch(() => {});
    await writer.close().catch(() => {});
    const { stdout } = await child.output();
    const text = new TextDecoder("latin1").decode(stdout);
    const end = text.indexOf("\r\n\r\n");
    const headers = new Headers(
      text.slice(0, end).split("\r\n").map((line) => {
        const at = line.indexOf(":");
        return [line.slice(0, at), line.slice(at + 1).trim()] as [string, string]; // "Name: value"
      }),
    );
    const status = Number(headers.get("status")?.slice(0, 3) ?? 200);
    headers.delete("status");
    return new Response(stdout.slice(end + 4), { status, headers });
  }
}
