/** oidc-provider as the authorization server, and an MCP server of ours behind it. */
import { withDeadline } from "../deadline.ts";
import { answerMcp } from "./oauth_server.ts";

const FIXTURE = new URL("../../fixtures/oidc_provider.mjs", import.meta.url).pathname;
/** Time to fetch the package and its dependencies. */
const START_MS = 120_000;
/** More redirects than any login has. */
const MOST_HOPS = 20;

export class IndependentServer implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #child: Deno.ChildProcess;
  readonly #ended = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #said: ReadableStreamDefaultReader<string>;
  issuer = "";

  private constructor() {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => this.#answer(request));
    const args = ["run", "-A", "--no-config", "--no-lock", "--quiet", FIXTURE, this.url];
    const child = { args, stdin: "piped", stdout: "piped", stderr: "null" } as const;
    this.#child = new Deno.Command(Deno.execPath(), child).spawn();
    this.#said = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Starts both. */
  static async start(): Promise<IndependentServer> {
    const servers = new IndependentServer();
    const { value } = await withDeadline(servers.#said.read(), START_MS, "oidc-provider");
    servers.issuer = value?.trim() ?? "";
    return servers;
  }

  get #origin(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Address of the MCP server. */
  get url(): string {
    return `${this.#origin}/mcp`;
  }

  /** How many grants of each type succeeded, and how many errors there were, by their names. */
  async granted(): Promise<Readonly<Record<string, number>>> {
    return await (await fetch(`${this.issuer}/test/granted`)).json();
  }

  /** Makes the MCP server refuse all access tokens that it has seen. */
  endAccessTokens(): void {
    for (const token of this.#seen) this.#ended.add(token);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stdin.close();
    await this.#child.status;
    await this.#said.cancel();
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const body = await request.text();
    if (new URL(request.url).pathname === "/.well-known/oauth-protected-resource/mcp") {
      const scopes_supported = ["read", "write"];
      return Response.json({ resource: this.url, authorization_servers: [this.issuer], scopes_supported });
    }
    const token = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    if (token === undefined || this.#ended.has(token) || !await this.#isOurs(token)) {
      const metadata = `${this.#origin}/.well-known/oauth-protected-resource/mcp`;
      return new Response(null, {
        status: 401,
        headers: { "www-authenticate": `Bearer resource_metadata="${metadata}"` },
      });
    }
    this.#seen.add(token);
    return request.method === "POST" ? answerMcp(JSON.parse(body)) : new Response(null, { status: 405 });
  }

  /** Whether the token is alive, and for this server. */
  async #isOurs(token: string): Promise<boolean> {
    const { aud } = await (await fetch(`${this.issuer}/test/token?token=${encodeURIComponent(token)}`)).json();
    return aud === this.url;
  }
}

/** Acts as a person who types a name and a password, and agrees; returns the browser's last address. */
export async function signIn(page: URL): Promise<URL> {
  const cookies = new Map<string, string>();
  let [url, body]: [URL, URLSearchParams | undefined] = [page, undefined];
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const method = body === undefined ? "GET" : "POST";
    const response: Response = await fetch(url, {
      redirect: "manual",
      method,
      body: body ?? null,
      headers: { cookie },
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get("location");
    if (location === null) {
      const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
      const action = /action="([^"]+)"/.exec(text)?.[1];
      if (prompt === undefined || action === undefined) throw new Error(`No form: ${text.slice(0, 500)}`);
      [url, body] = [new URL(action, url), new URLSearchParams({ prompt, login: "ann", password: "any" })];
    } else {
      [url, body] = [new URL(location, url), undefined];
      if (url.host !== page.host) return url;
    }
  }
  throw new Error("The login does not end");
}
