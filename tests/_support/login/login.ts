/** A person who logs in with the real program: the "browser" passes the address to the test, which visits it. */
import { SILENT } from "../../../src/base/log.ts";
import { askServer } from "../../../src/upstream/oauth/login/ask_server.ts";
import { logIn as logInWith } from "../../../src/upstream/oauth/login/login.ts";
import type { OAuthConfig } from "../../../src/upstream/oauth/oauth_config.ts";
import { LoginFiles } from "../../../src/upstream/oauth/store/login_files.ts";
import type { StoredLogin } from "../../../src/upstream/oauth/store/stored_login.ts";
import { until } from "../deadline.ts";
import type { OAuthServer } from "./oauth_server.ts";
import { type Ran, runProgram } from "../terminal.ts";
import type { Workbench } from "../workbench.ts";

const DEADLINE = 30_000;

/** What a person sees at the end of a visit. */
export interface Visited {
  readonly status: number;
  readonly text: string;
}

/** Where the program keeps logins. */
export function loginDirectory(bench: Workbench): string {
  return `${bench.home}/.local/state/ahma/oauth`;
}

/** The variables of a bench whose browser writes the address to a file. */
export function browserOf(bench: Workbench): Readonly<Record<string, string>> {
  const script = bench.write(`${bench.home}/browser`, `#!/bin/sh\nprintf %s "$1" > ~/url.new\nmv ~/url.new ~/url\n`);
  Deno.chmodSync(script, 0o755);
  return { BROWSER: script, HOME: bench.home };
}

/** Runs `auth login`; `act` is the person in front of the page. The page is opened once. An empty port is not named. */
export async function logIn(
  bench: Workbench,
  words: readonly string[],
  act: (url: URL) => Promise<unknown> = goThrough,
  port = "0",
): Promise<Ran> {
  const environment = browserOf(bench);
  const line = ["auth", "login", ...port === "" ? [] : ["--oauth-port", port], ...words];
  return await withPerson(bench, runProgram(bench, line, { script: true, environment }), act);
}

/** A login in this process, without what the subcommand adds: the flags, and the person at the terminal. */
export async function logInHere(
  bench: Workbench,
  server: string,
  { act = goThrough, timeoutMs = 60_000, ...how }: Partial<OAuthConfig> & {
    readonly act?: (url: URL) => Promise<unknown>;
    readonly timeoutMs?: number;
  } = {},
): Promise<StoredLogin> {
  const config = { callbackPort: 0, ...how, url: new URL(server) };
  const stop = new AbortController().signal;
  const isOpened = true;
  let visit: Promise<unknown> | undefined;
  const person = {
    tell: () => Promise.resolve(),
    openBrowser(url: URL) {
      visit = act(url);
      return Promise.resolve(isOpened);
    },
    pasted: () => Promise.withResolvers<never>().promise,
  };
  const tools = { files: new LoginFiles(loginDirectory(bench), SILENT), person, now: () => Date.now() };
  try {
    return await logInWith({ config, challenge: await askServer(config.url, stop), timeoutMs, stop }, tools);
  } finally {
    await visit;
  }
}

/** The end of a run in which a page may be opened, once. */
export async function withPerson(
  bench: Workbench,
  running: Promise<Ran>,
  act: (url: URL) => Promise<unknown> = goThrough,
): Promise<Ran> {
  let ended = false;
  void running.finally(() => ended = true);
  const opened = await until(() => opens(bench) ?? (ended ? "never" : undefined), DEADLINE, "the browser");
  if (opened !== "never") await act(opened);
  return await running;
}

/** The address that was passed to the browser, once. */
export function opens(bench: Workbench): URL | undefined {
  try {
    const url = new URL(Deno.readTextFileSync(`${bench.home}/url`));
    Deno.removeSync(`${bench.home}/url`);
    return url;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}

/** Follows the page to the program's own. */
export async function goThrough(url: URL): Promise<Visited> {
  const back = await callbackOf(url);
  return await visit(back);
}

/** Where the authorization server sends the browser. */
export async function callbackOf(url: URL): Promise<URL> {
  const response = await fetch(url, { redirect: "manual" });
  await response.body?.cancel();
  return new URL(response.headers.get("location") ?? "about:blank");
}

/** One page. */
export async function visit(url: URL): Promise<Visited> {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}

/** Runs the program as a person does, with the network. */
export async function ahma(bench: Workbench, ...words: readonly string[]): Promise<Ran> {
  return await runProgram(bench, words, { script: true, environment: browserOf(bench) });
}

/** The only login's file, parsed. */
export async function storedLogin(bench: Workbench): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(await loginFile(bench)));
}

/** Its path. */
export async function loginFile(bench: Workbench): Promise<string> {
  const names = (await Array.fromAsync(Deno.readDir(loginDirectory(bench)))).map(({ name }) => name);
  return `${loginDirectory(bench)}/${names.find((name) => name.endsWith(".json"))}`;
}

/** Lists the guarded server's tools with the stored login. */
export async function listed(bench: Workbench, server: OAuthServer): Promise<Ran> {
  return await ahma(bench, "list-tools", "--http", server.url);
}
