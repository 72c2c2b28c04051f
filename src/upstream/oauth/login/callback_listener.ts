/** Waits on this machine for the browser to come back, once (O3). */
import { UserError } from "../../../base/errors.ts";
import { isLoopbackHost } from "../../../system/network/public_address.ts";

/** Paths that a registered address may have. */
const PATHS: readonly string[] = ["/", "/callback"];
/** How often it tries to find a port that is free on both addresses. */
const MOST_TRIES = 10;

/** The answer to the login. */
export interface Arrival {
  readonly query: URLSearchParams;
  /** Shows the person how it ended. */
  readonly answer: (page: Page) => void;
}

/** Where the listener listens, and what it waits for. */
export interface ListenerOptions {
  /** 0: one that is free. */
  readonly port: number;
  /** A further path. */
  readonly path: string;
  /** Whether a query answers this login. */
  readonly isOurs: (query: URLSearchParams) => boolean;
}

/** A listener on 127.0.0.1 and ::1; disposing of it sends the last page first. */
export interface CallbackListener extends AsyncDisposable {
  readonly port: number;
  readonly arrival: Promise<Arrival>;
}

/** @returns undefined when another program has the port */
export function listenForCallback(options: ListenerOptions): CallbackListener | undefined {
  const arrival = Promise.withResolvers<Arrival>();
  let isWaiting = true;
  const handler = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const isPath = url.pathname === options.path || PATHS.includes(url.pathname);
    if (request.method !== "GET" || !isPath || !isLoopbackHost(url.hostname)) return pageResponse(NOT_FOUND);
    if (!isWaiting || !options.isOurs(url.searchParams)) return pageResponse(NOT_THIS_LOGIN);
    isWaiting = false;
    const page = Promise.withResolvers<Page>();
    arrival.resolve({ query: url.searchParams, answer: page.resolve });
    return pageResponse(await page.promise);
  };
  const servers = serveOnBoth(options.port, handler);
  const [first] = servers;
  if (first === undefined) return undefined;
  return {
    port: first.addr.port,
    arrival: arrival.promise,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.shutdown()));
    },
  };
}

type Handler = (request: Request) => Promise<Response>;
type Server = Deno.HttpServer<Deno.NetAddr>;

/** Both, because "localhost" may mean either, and a program that listened on the other would get the code. */
function serveOnBoth(port: number, handler: Handler): readonly Server[] {
  for (let tries = 0; tries < (port === 0 ? MOST_TRIES : 1); tries++) {
    const first = serveOn("127.0.0.1", port, handler);
    if (first === "taken") return [];
    if (first === "no address") throw new UserError("Cannot wait for the browser: this machine has no 127.0.0.1");
    const second = serveOn("::1", first.addr.port, handler);
    if (second === "no address") return [first];
    if (second !== "taken") return [first, second];
    void first.shutdown();
  }
  return [];
}

function serveOn(hostname: string, port: number, handler: Handler): Server | "taken" | "no address" {
  try {
    return Deno.serve({ hostname, port, onListen() {} }, handler);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.AddrInUse || thrown instanceof Deno.errors.PermissionDenied) return "taken";
    if (thrown instanceof Deno.errors.AddrNotAvailable || isNoFamily(thrown)) return "no address";
    throw thrown;
  }
}

/** The runtime has no error class for a kernel without IPv6. */
function isNoFamily(thrown: unknown): boolean {
  return thrown instanceof Error && /os error 97\b|Address family not supported/.test(thrown.message);
}

/** What a page says. */
interface Page {
  readonly status: number;
  readonly title: string;
  /** Plain text. */
  readonly text: string;
}

/** After a login. */
export const LOGGED_IN: Page = { status: 200, title: "Logged in", text: "You may close this page." };

/** For a request that is not the answer to this login. */
const NOT_THIS_LOGIN: Page = {
  status: 400,
  title: "Not this login",
  text:
    "This answer does not belong to the login that waits here, which goes on. Begin at the address in the terminal.",
};

/** For everything else that a browser asks for. */
const NOT_FOUND: Page = { status: 404, title: "Not found", text: "Nothing is here." };

/** The page for a failed login. `why`: a sentence. */
export function failedPage(why: string): Page {
  return { status: 400, title: "Not logged in", text: `${why}. The terminal has the same message.` };
}

/** The page as a response: no script runs in it, and no cache keeps it. */
export function pageResponse({ status, title, text }: Page): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escaped(title)} - ahma_mcp</title>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "connection": "close",
    },
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
