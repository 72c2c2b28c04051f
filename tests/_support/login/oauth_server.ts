/**
 * An authorization server and an MCP server that uses it, on one port of 127.0.0.1, with switches for faults of real
 * servers. It records its requests.
 */

/** The behaviour of the servers; a test may change it at any time. */
export interface OAuthBehaviour {
  /** Left out of the metadata: "code_challenge_methods_supported". */
  pkce: boolean;
  /** Path of the issuer, as in "/tenant". */
  issuerPath: string;
  /** Added to the issuer that the metadata name. */
  wrongIssuer: boolean;
  /** `iss` of callbacks: right, wrong, or left out. */
  iss: "right" | "wrong" | "none";
  /** What the authorization endpoint returns instead of a code. */
  error: string | undefined;
  authorizationEndpoint: string | undefined;
  register: "yes" | "no endpoint" | "forbidden";
  metadata: "json" | "html" | "too long" | "redirect";
  refresh: "rotate" | "unavailable" | "invalid_grant" | "html" | "unknown client";
  /** Answers requests with 401 although the token is good. */
  refusesAll: boolean;
  /** Seconds. */
  lifetime: number;
  /** The identifier of the protected resource; undefined: its address. */
  resource: string | undefined;
  /** Whether there is a document of the protected resource. */
  hasResourceDocument: boolean;
  /** The scope of the challenge. */
  scope: string | undefined;
  /** A required scope: requests without it get 403. */
  needs: string | undefined;
  /** How clients without a person authenticate; undefined: the metadata do not say. */
  clientAuth: readonly string[] | undefined;
  /** The grants that the metadata name; undefined: none. */
  grantTypes: readonly string[] | undefined;
  /** Of client "robot". */
  robotSecret: string;
  /** Its public key, for `private_key_jwt`. */
  robotKey: CryptoKey | undefined;
  /** Another answer to such a client. */
  robotAnswer: "token" | "echo" | "unavailable";
}

const USUAL: OAuthBehaviour = {
  pkce: true,
  issuerPath: "",
  wrongIssuer: false,
  iss: "right",
  error: undefined,
  authorizationEndpoint: undefined,
  register: "yes",
  metadata: "json",
  refresh: "rotate",
  refusesAll: false,
  lifetime: 3600,
  resource: undefined,
  hasResourceDocument: true,
  scope: undefined,
  needs: undefined,
  clientAuth: ["none"],
  grantTypes: undefined,
  robotSecret: "robot-secret-1",
  robotKey: undefined,
  robotAnswer: "token",
};

/** One request, as it came. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  /** Of the query and of a form. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

export class OAuthServer implements AsyncDisposable {
  readonly behaviour: OAuthBehaviour = { ...USUAL };
  readonly seen: SeenRequest[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #codes = new Map<string, URLSearchParams>();
  /** Families of tokens: using a refresh token twice revokes its whole family. */
  readonly #refreshTokens = new Map<string, { used: boolean; family: number }>();
  readonly #accessTokens = new Map<string, { readonly family: number; readonly scope: string | undefined }>();
  readonly #ended = new Set<number>();
  readonly #proofs = new Set<string>();
  #count = 0;

  constructor() {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => this.#answer(request));
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Address of the MCP server. */
  get url(): string {
    return `${this.origin}/mcp`;
  }

  get issuer(): string {
    return `${this.origin}${this.behaviour.issuerPath}`;
  }

  /** The requests to a path. */
  at(path: string): readonly SeenRequest[] {
    return this.seen.filter((request) => request.path === path);
  }

  /** Token requests of a kind. */
  grants(type: "authorization_code" | "refresh_token" | "client_credentials"): readonly SeenRequest[] {
    return this.at("/token").filter(({ fields }) => fields["grant_type"] === type);
  }

  /** Makes the MCP server refuse all existing access tokens. */
  endAccessTokens(): void {
    this.#accessTokens.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const body = await request.text();
    const isForm = request.headers.get("content-type")?.includes("form") === true;
    const fields = Object.fromEntries([...url.searchParams, ...isForm ? new URLSearchParams(body) : []]);
    this.seen.push({ method: request.method, path: url.pathname, headers: request.headers, fields, body });
    if (url.pathname.includes("/.well-known/oauth-protected-resource")) return this.#resourceDocument(url.pathname);
    if (url.pathname.includes("/.well-known/")) return this.#metadata(url.pathname);
    switch (url.pathname) {
      case "/mcp":
        return this.#mcp(request, body);
      case "/register":
        return this.#register(body);
      case "/authorize":
        return this.#authorize(url.searchParams);
      case "/token":
        return isForm && new URLSearchParams(body).get("grant_type") === "client_credentials"
          ? await this.#robot(new URLSearchParams(body), request.headers)
          : await this.#token(new URLSearchParams(body));
      case "/revoke":
        return new Response(null);
      default:
        return new Response("not found", { status: 404 });
    }
  }

  #resourceDocument(path: string): Response {
    if (!this.behaviour.hasResourceDocument || !path.endsWith("/mcp")) return new Response("none", { status: 404 });
    const resource = this.behaviour.resource ?? this.url;
    return Response.json({ resource, authorization_servers: [this.issuer], scopes_supported: ["read", "write"] });
  }

  #metadata(path: string): Response {
    const { issuerPath, metadata, wrongIssuer, pkce, register, authorizationEndpoint, iss, clientAuth, grantTypes } =
      this.behaviour;
    if (path !== `/.well-known/oauth-authorization-server${issuerPath}`) return new Response("none", { status: 404 });
    if (metadata === "html") return new Response("<html>Sign in</html>", { headers: { "content-type": "text/html" } });
    if (metadata === "too long") return Response.json({ issuer: "x".repeat(2_000_000) });
    if (metadata === "redirect") return Response.redirect("http://127.0.0.1:9/elsewhere");
    return Response.json({
      issuer: wrongIssuer ? "https://other.example" : this.issuer,
      authorization_endpoint: authorizationEndpoint ?? `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      revocation_endpoint: `${this.origin}/revoke`,
      ...register !== "no endpoint" && { registration_endpoint: `${this.origin}/register` },
      response_types_supported: ["code"],
      ...clientAuth !== undefined && { token_endpoint_auth_methods_supported: clientAuth },
      ...grantTypes !== undefined && { grant_types_supported: grantTypes },
      authorization_response_iss_parameter_supported: iss !== "none",
      ...pkce && { code_challenge_methods_supported: ["S256"] },
    });
  }

  #register(body: string): Response {
    if (this.behaviour.register === "forbidden") return new Response("Forbidden", { status: 403 });
    const client = { client_id: `client-${++this.#count}`, client_id_issued_at: 1 };
    return Response.json({ ...JSON.parse(body), ...client }, { status: 201 });
  }

  #authorize(query: URLSearchParams): Response {
    const back = new URL(query.get("redirect_uri") ?? "");
    const { error, iss } = this.behaviour;
    if (error === undefined) {
      const code = `code-${++this.#count}`;
      this.#codes.set(code, query);
      back.searchParams.set("code", code);
    } else {
      back.searchParams.set("error", error);
      back.searchParams.set("error_description", "<b>Described</b> by the server");
    }
    back.searchParams.set("state", query.get("state") ?? "");
    if (iss !== "none") back.searchParams.set("iss", iss === "right" ? this.issuer : "https://evil.example");
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  async #token(form: URLSearchParams): Promise<Response> {
    if (form.get("grant_type") === "refresh_token") return this.#refresh(form.get("refresh_token") ?? "");
    const asked = this.#codes.get(form.get("code") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    const verifier = new TextEncoder().encode(form.get("code_verifier") ?? "");
    const challenge = new Uint8Array(await crypto.subtle.digest("SHA-256", verifier))
      .toBase64({ alphabet: "base64url", omitPadding: true });
    const same = ["redirect_uri", "client_id", "resource"].every((name) =>
      form.get(name) === (asked?.get(name) ?? null)
    );
    if (asked === undefined || !same || asked.get("code_challenge") !== challenge) return failed("invalid_grant");
    return this.#tokens(++this.#count, asked.get("scope") ?? undefined);
  }

  /** Authenticates a client without a person: by the method in the metadata, and never by two methods. */
  async #robot(form: URLSearchParams, headers: Headers): Promise<Response> {
    const { clientAuth = ["client_secret_basic"], robotSecret, robotAnswer } = this.behaviour;
    const basic = headers.get("authorization");
    const inForm = `${form.get("client_id")}:${form.get("client_secret")}`;
    const given = clientAuth.includes("client_secret_basic")
      ? form.has("client_secret") ? "" : atob(basic?.replace(/^Basic /, "") ?? "")
      : basic === null
      ? inForm
      : "";
    if (robotAnswer === "unavailable") return new Response("busy", { status: 503, headers: { "retry-after": "7" } });
    if (robotAnswer === "echo") return new Response(`bad: ${form} ${given}`, { status: 400 });
    const isKnown = clientAuth.includes("private_key_jwt")
      ? await this.#isProof(form.get("client_assertion") ?? "")
      : given === `robot:${robotSecret}`;
    if (!isKnown) return failed("invalid_client", 401);
    return this.#tokens(++this.#count, form.get("scope") ?? undefined, { refreshes: false });
  }

  /** Whether a JWT was made by the robot's P-256 key for this server, and not used before. */
  async #isProof(jwt: string): Promise<boolean> {
    const { robotKey } = this.behaviour;
    const [head = "", claims = "", signature = ""] = jwt.split(".");
    if (robotKey === undefined || this.#proofs.has(jwt)) return false;
    this.#proofs.add(jwt);
    const { iss, sub, aud, exp } = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/")));
    const bytes = Uint8Array.fromBase64(signature, { alphabet: "base64url" });
    const es256 = { name: "ECDSA", hash: "SHA-256" };
    const isSigned = await crypto.subtle.verify(es256, robotKey, bytes, new TextEncoder().encode(`${head}.${claims}`));
    return isSigned && iss === "robot" && sub === "robot" && aud === this.issuer && exp * 1000 > Date.now();
  }

  #refresh(token: string): Response {
    switch (this.behaviour.refresh) {
      case "unavailable":
        return new Response("busy", { status: 503, headers: { "retry-after": "7" } });
      case "html":
        return new Response("<html>Oops</html>", { status: 400, headers: { "content-type": "text/html" } });
      case "unknown client":
        return failed("invalid_client", 401);
      case "invalid_grant":
        return failed("invalid_grant");
      case "rotate": {
        const known = this.#refreshTokens.get(token);
        if (known === undefined || this.#ended.has(known.family)) return failed("invalid_grant");
        if (known.used) {
          this.#ended.add(known.family);
          return failed("invalid_grant");
        }
        known.used = true;
        return this.#tokens(known.family);
      }
    }
  }

  #tokens(family: number, scope?: string, { refreshes = true } = {}): Response {
    const [access, refresh] = [`access-secret-${++this.#count}`, `refresh-secret-${this.#count}`];
    this.#accessTokens.set(access, { family, scope });
    this.#refreshTokens.set(refresh, { used: false, family });
    return Response.json({
      access_token: access,
      ...refreshes && { refresh_token: refresh },
      token_type: "Bearer",
      expires_in: this.behaviour.lifetime,
      ...scope !== undefined && { scope },
    });
  }

  #mcp(request: Request, body: string): Response {
    const token = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    const known = token === undefined ? undefined : this.#accessTokens.get(token);
    if (known === undefined || this.#ended.has(known.family) || this.behaviour.refusesAll) {
      const { scope } = this.behaviour;
      const challenge = `Bearer resource_metadata="${this.origin}/.well-known/oauth-protected-resource/mcp"` +
        (scope === undefined ? "" : `, scope="${scope}"`);
      return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
    }
    const { needs } = this.behaviour;
    if (needs !== undefined && !known.scope?.split(" ").includes(needs)) {
      const challenge = `Bearer error="insufficient_scope", scope="${needs}"`;
      return new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
    }
    if (request.method !== "POST") return new Response(null, { status: 405 });
    return answerMcp(JSON.parse(body));
  }
}

function failed(error: string, status = 400): Response {
  return Response.json({ error, error_description: `the server says ${error}` }, { status });
}

export interface RpcRequest {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

/** An MCP server of 2025-11-25 with one tool: its answer to a message. */
export function answerMcp({ id, method, params }: RpcRequest): Response {
  if (id === undefined) return new Response(null, { status: 202 });
  const results: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "guarded", version: "1" },
    },
    "tools/list": { tools: [{ name: "guarded", description: "Behind a login.", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "called" }] },
  };
  const result = results[method];
  const error = { code: -32601, message: "unknown" };
  return Response.json({ jsonrpc: "2.0", id, ...result === undefined ? { error } : { result } });
}
