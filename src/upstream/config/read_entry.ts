/** One entry of a configuration file as a server (O1): the fields of every dialect. Pure. */
import { attempt } from "../../base/errors.ts";
import { NETWORKS, UNIX_SOCKETS } from "../../sandbox/policy/confinement.ts";
import { isForbiddenVariable } from "../../sandbox/grants/environment.ts";
import { shownValue } from "../../base/text.ts";
import { networkProblem, readNetwork } from "../../settings/flags/network_value.ts";
import { expand, expandVariableValue, type VariableSources } from "./expand.ts";
import type { EntryReader } from "./entry_reader.ts";
import { readOAuth } from "./read_oauth.ts";
import {
  type CommonSpec,
  type ConfiguredServer,
  type Expanded,
  type HttpSpec,
  type HttpTransport,
  PIN_MODES,
  type ServerNetwork,
  type StdioSpec,
  type ToolFilter,
} from "./server_spec.ts";
import { glob } from "../../base/glob.ts";

/** Names of transports, in lower case and without `_` and `-`; clients spell them in many ways. */
const KINDS: ReadonlyMap<string, "stdio" | HttpTransport> = new Map([
  ["stdio", "stdio"],
  ["childprocess", "stdio"],
  ["http", "either"],
  ["streamablehttp", "either"],
  ["sse", "sse"],
]);

/** Fields of clients that have no effect here: none may run a program or skip a check. */
const IGNORED = [
  ...["trust", "headersHelper", "dev", "alwaysLoad", "autoApprove", "alwaysAllow", "description", "gallery", "version"],
  ...[
    "required",
    "source",
    "authProviderType",
    "sandboxEnabled",
    "env_vars",
    "name",
    "metadata",
  ],
];
/** Milliseconds. */
const DEFAULT_WAIT_MS = 20_000;
const DEFAULT_TIMEOUT_SECONDS = 300;
const DEFAULT_IDLE_SECONDS = 600;
const DEFAULT_START_SECONDS = 60;
/** A larger number must be milliseconds. */
const MOST_SECONDS = 1_000;

/** The server of an entry; `reader` then has what is wrong with it. */
export function readEntry(name: string, entry: EntryReader, sources: VariableSources): ConfiguredServer {
  const isOff = entry.flag("disabled") === true || entry.flag("enabled") === false;
  const kind = kindOf(entry);
  const common = commonOf(name, entry);
  const spec = kind === undefined
    ? undefined
    : kind === "stdio"
    ? { ...common, ...stdioOf(entry, sources) }
    : { ...common, ...httpOf(entry, kind, sources) };
  entry.ignore(...IGNORED);
  entry.warnOfUnknown();
  const problem = entry.diagnostics.find(({ severity }) => severity === "error")?.message;
  if (isOff) return { state: "disabled", name };
  if (problem !== undefined || spec === undefined) return { state: "refused", name, problem: problem ?? "" };
  return { state: "usable", spec };
}

function kindOf(entry: EntryReader): "stdio" | HttpTransport | undefined {
  const type = entry.text("type", "transportType", "transport");
  const kind = type === undefined ? undefined : KINDS.get(type.toLowerCase().replaceAll(/[_-]/g, ""));
  if (kind !== undefined) return kind;
  if (type !== undefined) {
    entry.refuse("type", `Field "type" must be one of stdio, http, sse, not ${shownValue(type)}`);
    entry.ignore("command", "args", "env", "url", "headers");
    return undefined;
  }
  if (entry.has("command")) return "stdio";
  if (entry.has("httpUrl")) return "either";
  if (entry.has("url", "serverUrl")) return "either";
  entry.refuse(undefined, 'The server has neither "command" nor "url": give the one that starts or finds it');
  return undefined;
}

function commonOf(name: string, entry: EntryReader): CommonSpec {
  const timeout = entry.amount("timeout");
  const given = entry.amount("timeoutSeconds", "tool_timeout_sec");
  const maxSeconds = entry.amount("maxSeconds");
  return {
    name,
    prefix: entry.text("prefix"),
    filter: readFilter(entry),
    pin: entry.choice(PIN_MODES, "pin") ?? "changed",
    sampling: entry.flag("sampling") ?? false,
    logs: entry.flag("logs"),
    waitMs: entry.amount("waitMs") ?? DEFAULT_WAIT_MS,
    timeoutSeconds: given ?? (timeout === undefined ? DEFAULT_TIMEOUT_SECONDS : inSeconds(timeout)),
    maxSeconds: maxSeconds === 0 ? undefined : maxSeconds,
    idleSeconds: entry.amount("idleSeconds") ?? DEFAULT_IDLE_SECONDS,
  };
}

/** Some clients count seconds, others milliseconds. */
function inSeconds(timeout: number): number {
  return timeout > MOST_SECONDS ? timeout / 1000 : timeout;
}

function stdioOf(entry: EntryReader, sources: VariableSources): Omit<StdioSpec, keyof CommonSpec> {
  const words = commandWords(entry);
  const place = (field: string, word: string) => belowHome(entry.expanded(field, expand(word, sources)), sources);
  const texts = words.map((word) => place("command", word));
  const args = (entry.texts("args") ?? []).map((word) => place("args", word));
  for (const { text, shown } of [...texts, ...args]) {
    if (text === shown) continue;
    entry.warn("args", `The value of ${shown} is visible in the list of processes: pass it in "env" instead`);
  }
  const [command = { text: "", shown: "" }, ...more] = texts;
  if (command.text === "") entry.refuse(undefined, 'Field "command" names no program: give its name or path');
  const sandbox = entry.part("sandbox");
  const files = sandbox.part("filesystem");
  files.ignore("denyRead", "denyWrite");
  const directory = entry.text("cwd");
  if (entry.has("envFile")) {
    entry.refuse("envFile", 'Field "envFile" is not read: name the variables in "env", as in {"KEY": "${env:KEY}"}');
  }
  return {
    kind: "stdio",
    command,
    args: [...more, ...args],
    environment: environmentOf(entry, sources),
    directory: directory === undefined ? undefined : place("cwd", directory).text,
    write: [...entry.texts("write") ?? sandbox.texts("write") ?? files.texts("allowWrite") ?? []]
      .map((path) => place("write", path).text),
    read: [...entry.texts("read") ?? sandbox.texts("read") ?? []]
      .map((path) => place("read", path).text),
    readScope: entry.flag("readScope") ?? sandbox.flag("readScope") ?? true,
    network: networkOf(entry) ?? networkOf(sandbox),
    unixSockets: entry.choice(UNIX_SOCKETS, "unixSockets"),
    // Other clients have full package caches, and their limits assume that.
    startSeconds: Math.max(DEFAULT_START_SECONDS, entry.amount("startSeconds", "startup_timeout_sec") ?? 0),
  };
}

/** `~/` is the user's home. The server has another home, so it could not expand that itself. */
function belowHome({ text, shown }: Expanded, { home }: VariableSources): Expanded {
  const below = (path: string) => home === undefined ? path : path.replace(/^~(?=\/|$)/, () => home);
  return { text: below(text), shown: below(shown) };
}

/** A word, or hosts as a text or a list; other clients have them in an object (S30). */
function networkOf(entry: EntryReader): ServerNetwork | undefined {
  const value = entry.value("network");
  if (value === undefined) return undefined;
  const isObject = typeof value === "object" && !Array.isArray(value);
  const texts = typeof value === "string" ? [value] : isObject ? domainsOf(entry) : entry.texts("network");
  if (texts === undefined) return undefined;
  const problem = texts.length === 0
    ? `The list is empty: name hosts, or write ${NETWORKS.map((one) => `"${one}"`).join(", ")}`
    : networkProblem(texts.join(","));
  if (problem === undefined) return readNetwork(texts.join(","));
  entry.refuse("network", `Field "network" cannot be used: ${problem}`);
  return undefined;
}

/** Other clients can exclude hosts from their list; this program cannot. */
function domainsOf(entry: EntryReader): readonly string[] | undefined {
  const network = entry.part("network");
  if ((network.texts("deniedDomains") ?? []).length > 0) {
    network.refuse("deniedDomains", 'Field "deniedDomains" has no counterpart: list what is allowed, without them');
  }
  return network.texts("allowedDomains") ?? [];
}

/** Some clients write the whole command line in `command`, as a list. */
function commandWords(entry: EntryReader): readonly string[] {
  if (Array.isArray(entry.value("command"))) return entry.texts("command") ?? [];
  const word = entry.text("command");
  return word === undefined ? [] : [word];
}

function environmentOf(entry: EntryReader, sources: VariableSources): Readonly<Record<string, Expanded>> {
  const values = { ...entry.record("environment"), ...entry.record("env") };
  const forbidden = Object.keys(values).find(isForbiddenVariable);
  if (forbidden !== undefined) {
    entry.refuse(
      "env",
      `Cannot pass "${forbidden}" to a server: it could change the behaviour of every program or shell`,
    );
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, entry.expanded("env", expandVariableValue(value, sources))]),
  );
}

function httpOf(
  entry: EntryReader,
  transport: HttpTransport,
  sources: VariableSources,
): Omit<HttpSpec, keyof CommonSpec> {
  const text = entry.text("httpUrl", "serverUrl", "url") ?? "";
  const url = entry.expanded("url", expand(text, sources));
  const parsed = URL.canParse(url.text) ? new URL(url.text) : undefined;
  if (parsed === undefined || !["http:", "https:"].includes(parsed.protocol)) {
    entry.refuse(
      "url",
      `Cannot use "${url.shown}" as the address of a server: it is not an http:// or https:// address`,
    );
  } else if (parsed.username !== "" || parsed.password !== "") {
    entry.refuse("url", "Cannot use a user name or password in the address: write an Authorization header");
  }
  return { kind: "http", url, headers: headersOf(entry, sources), transport, oauth: readOAuth(entry, sources) };
}

function headersOf(entry: EntryReader, sources: VariableSources): Readonly<Record<string, Expanded>> {
  const written = { ...entry.record("http_headers"), ...entry.record("headers") };
  const fromVariables = entry.record("env_http_headers");
  const bearer = entry.text("bearer_token_env_var");
  const expanded = Object.entries(written)
    .map(([name, value]) => [name, entry.expanded("headers", expand(value, sources))] as const);
  const variables = Object.entries(fromVariables)
    .map(([name, variable]) => [name, entry.expanded("env_http_headers", expand(`\${${variable}}`, sources))] as const);
  const token = bearer === undefined
    ? []
    : [["Authorization", entry.expanded("bearer_token_env_var", expand(`Bearer \${${bearer}}`, sources))] as const];
  const headers = Object.fromEntries([...expanded, ...variables, ...token]);
  for (const [name, { text }] of Object.entries(headers)) {
    if (!isHeader(name, text)) {
      entry.refuse("headers", `Cannot send header "${name}": its name or value is not valid in a header`);
    }
  }
  return headers;
}

function isHeader(name: string, value: string): boolean {
  return attempt(TypeError, () => new Headers([[name, value]]).has(name)) === true;
}

/** Whether a tool of this name is offered. */
export function isOffered({ include, exclude }: ToolFilter, name: string): boolean {
  return (include === undefined || include.some((pattern) => glob(pattern, "name")(name))) &&
    !exclude.some((pattern) => glob(pattern, "name")(name));
}

function readFilter(entry: EntryReader): ToolFilter {
  const include = entry.texts("includeTools", "enabled_tools", "enabledTools");
  const exclude = entry.texts("excludeTools", "disabled_tools", "disabledTools");
  const tools = entry.part("tools");
  const filter = entry.part("options").part("toolFilter");
  const mode = filter.choice(["allow", "block"], "mode");
  const list = filter.texts("list");
  return {
    include: include ?? tools.texts("include") ?? (mode === "block" ? undefined : list),
    exclude: [...exclude ?? [], ...tools.texts("exclude") ?? [], ...mode === "block" ? list ?? [] : []],
  };
}
