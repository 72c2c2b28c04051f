/** One login of a person (O3): discovery, client, browser, tokens. State and verifier stay in memory. */
import { messageOf, UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";
import { type OAuthConfig, serverAddress } from "../oauth_config.ts";
import type { LoginFiles } from "../store/login_files.ts";
import type { StoredClient, StoredLogin } from "../store/stored_login.ts";
import type { Challenge } from "../token_source.ts";
import { checkedAddress, reachedAddresses } from "../wire/addresses.ts";
import { type Fetch, oauthFetch } from "../wire/oauth_fetch.ts";
import { sdkClientOf, storedServer, storedTokens } from "../wire/sdk_shapes.ts";
import { isOfLogin, readCallback } from "./callback.ts";
import { type Arrival, type CallbackListener, failedPage, listenForCallback, LOGGED_IN } from "./callback_listener.ts";
import { chooseClient } from "./choose_client.ts";
import { type AuthorizationServer, discover } from "./discover.ts";
import { redirectOf } from "./redirect.ts";

/** For each request of a login, milliseconds. */
const ANSWER_MS = 10_000;
/** How long another process may change the file, milliseconds. */
const LOCK_MS = 30_000;
const RANDOM_BYTES = 32;

/** The person who logs in. */
export interface Person {
  /** Says a sentence; `page`: an address that belongs to it. */
  readonly tell: (text: string, page?: URL) => Promise<void>;
  /** Opens the browser; false: there is none on this machine. */
  readonly openBrowser: (url: URL) => Promise<boolean>;
  /** The query of an address that the person pasted and `isOurs` accepts; never settles where nothing can be pasted. */
  readonly pasted: (isOurs: (query: URLSearchParams) => boolean, signal: AbortSignal) => Promise<URLSearchParams>;
}

export interface LoginRequest {
  readonly config: OAuthConfig;
  readonly challenge: Challenge;
  /** How long the person may take, milliseconds. */
  readonly timeoutMs: number;
  /** Ends the login. */
  readonly stop: AbortSignal;
}

export interface LoginTools {
  readonly files: LoginFiles;
  readonly person: Person;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Logs in and keeps the tokens. @throws {UserError} when that fails; the message says why, and what helps */
export async function logIn(request: LoginRequest, tools: LoginTools): Promise<StoredLogin> {
  const { config, challenge, stop } = request;
  const fetch = oauthFetch({ server: config.url, timeoutMs: ANSWER_MS, signal: stop });
  const server = await discover(config, challenge, fetch);
  if (server.warning !== undefined) await tools.person.tell(server.warning);
  const last = (await tools.files.read(serverAddress(config.url)))?.login;
  const state = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)).toHex();
  const isOurs = (query: URLSearchParams) => isOfLogin(query, state);
  const redirect = redirectOf(config);
  await using listener = listen(redirect, isOurs);
  const redirectUri = redirect.withPort(listener.port);
  const question = { config, server, last, redirectUri, now: tools.now() };
  const client = await chooseClient(question, fetch);
  const arrival = await ask({ request, server, client, listener, isOurs, state }, tools).catch(async (thrown) => {
    if (last?.client === client && !stop.aborted) await distrustClient(last, tools.files);
    throw thrown;
  });
  try {
    const login = await finish(arrival, { request, server, client, fetch }, tools);
    arrival.answer(LOGGED_IN);
    return login;
  } catch (thrown) {
    arrival.answer(failedPage(messageOf(thrown)));
    throw thrown;
  }
}

/** The server may have shown the person an error because it forgot the client: the next login registers afresh. */
async function distrustClient({ serverUrl, client }: StoredLogin, files: LoginFiles): Promise<void> {
  await files.underLock(serverUrl, LOCK_MS, async () => {
    const now = (await files.read(serverUrl))?.login;
    if (now?.client.clientId === client.clientId) await files.write({ ...now, clientIsLost: true });
  });
}

/** @throws {UserError} when another program has the port, and no other will do */
function listen(
  { port, path, isFixed }: ReturnType<typeof redirectOf>,
  isOurs: (query: URLSearchParams) => boolean,
): CallbackListener {
  const listener = listenForCallback({ port, path, isOurs }) ??
    (isFixed ? undefined : listenForCallback({ port: 0, path, isOurs }));
  if (listener !== undefined) return listener;
  throw new UserError(
    `Cannot wait for the browser on port ${port}: another program has it. End that program, or choose the port that is ` +
      "registered for the client: --oauth-port PORT",
  );
}

interface Asking {
  readonly request: LoginRequest;
  readonly server: AuthorizationServer;
  readonly client: StoredClient;
}

/** Sends the person to the authorization server, and waits for the answer. */
async function ask(
  { request, server, client, listener, isOurs, state }: Asking & {
    readonly listener: CallbackListener;
    readonly isOurs: (query: URLSearchParams) => boolean;
    readonly state: string;
  },
  { person }: LoginTools,
): Promise<Arrival & { readonly verifier: string }> {
  const { startAuthorization } = await import("@modelcontextprotocol/client");
  const { authorizationUrl, codeVerifier } = await startAuthorization(server.url, {
    // The metadata was checked for PKCE; a server for which a person vouches need not mention it.
    metadata: server.metadata,
    clientInformation: sdkClientOf(client),
    redirectUrl: client.redirectUri,
    state,
    ...server.scope !== undefined && { scope: server.scope },
    ...server.resource !== undefined && { resource: server.resource },
  });
  const what = "The page to log in";
  const url = checkedAddress(authorizationUrl, request.config.url, what);
  await reachedAddresses(url, request.config.url, { what });
  const seconds = request.timeoutMs / 1000;
  await person.tell(`Log in to "${request.config.url.href}" on this page, within ${seconds} s`, url);
  if (!await person.openBrowser(url)) await person.tell(elsewhere(listener.port));
  return { ...await firstArrival(request, { person, listener, isOurs }), verifier: codeVerifier };
}

function elsewhere(port: number): string {
  return "No browser is opened here. Open the page on another machine: its browser ends at an address on localhost that " +
    "it cannot load. Paste that address here, or forward the port first:\n\n" +
    `  ssh -L ${port}:localhost:${port} THIS_MACHINE\n`;
}

async function firstArrival(
  { timeoutMs, stop }: LoginRequest,
  { person, listener, isOurs }: {
    readonly person: Person;
    readonly listener: CallbackListener;
    readonly isOurs: (query: URLSearchParams) => boolean;
  },
): Promise<Arrival> {
  const over = new AbortController();
  const late = Promise.withResolvers<never>();
  const end = () => late.reject(new UserError("The login was cancelled"));
  const timer = setTimeout(
    () => late.reject(new UserError(`No answer came from the browser within ${timeoutMs / 1000} s (--oauth-timeout)`)),
    timeoutMs,
  );
  stop.addEventListener("abort", end, { once: true });
  try {
    const pasted = person.pasted(isOurs, over.signal).then((query) => ({ query, answer: () => {} }));
    return await Promise.race([listener.arrival, pasted, late.promise]);
  } finally {
    over.abort();
    clearTimeout(timer);
    stop.removeEventListener("abort", end);
  }
}

/** Exchanges the code, and stores the result. */
async function finish(
  { query, verifier }: Arrival & { readonly verifier: string },
  { request, server, client, fetch }: Asking & { readonly fetch: Fetch },
  { files, now }: LoginTools,
): Promise<StoredLogin> {
  const { exchangeAuthorization, validateAuthorizationResponseIssuer } = await import("@modelcontextprotocol/client");
  const { metadata, url, resource } = server;
  const callback = readCallback(query, (iss) =>
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    }));
  if (callback.kind === "refused") throw new UserError(callback.why);
  const tokens = await exchangeAuthorization(url, {
    metadata,
    clientInformation: sdkClientOf(client),
    authorizationCode: callback.code,
    ...callback.iss !== undefined && { iss: callback.iss },
    codeVerifier: verifier,
    redirectUri: client.redirectUri,
    ...resource !== undefined && { resource },
    fetchFn: fetch,
  }).catch((thrown: unknown) => {
    if (thrown instanceof UserError) throw thrown;
    const reason = shorten(messageOf(thrown));
    throw new UserError(`The authorization server issued no token for the code: ${reason}`, { cause: thrown });
  });
  const serverUrl = serverAddress(request.config.url);
  const login = {
    version: 1 as const,
    serverUrl,
    issuer: metadata.issuer,
    resource,
    client,
    server: storedServer(url, metadata),
    tokens: storedTokens(tokens, now(), server.scope),
  };
  const kept = await files.underLock(serverUrl, LOCK_MS, () => files.write(login));
  if (kept === undefined) throw new UserError("Cannot keep the login: another process is changing it");
  return login;
}
