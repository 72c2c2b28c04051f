/**
 * Denials of a failed command that concern no path (S15): network, Unix sockets, system calls. Each needs a trace that
 * depends on no language.
 */
import type { OperationDenial } from "../../base/command/denial.ts";
import { findRule, isListedName, printPlace } from "../../base/network/name_list.ts";
import type { NetworkUse } from "../../base/command/network_use.ts";
import { shorten } from "../../base/visible_text.ts";
import { isAddress } from "../../system/network/public_address.ts";
import { isNetworkOpen } from "../policy/confinement.ts";
import { allows } from "./policy_query.ts";
import type { SandboxPolicy } from "../policy/policy.ts";
import { LONGEST_TEXT } from "./mentioned_paths.ts";
import { printsError } from "./printed_errors.ts";
import type { DenialContext, EndedCommand } from "./question.ts";
import { refusedHost } from "../../base/network/network_bound.ts";

/** How many names are read from a text. */
const MOST_HOSTS = 16;

type FailedOperation = Pick<EndedCommand, "words" | "output" | "end">;
type Context = Pick<DenialContext, "policy" | "scopes">;

/** The denials, without those of sockets, which are paths. */
export function operationDenials(command: FailedOperation, context: Context): readonly OperationDenial[] {
  return [...networkDenials(command, context), ...callDenials(command, context)];
}

/** A Unix socket that a command named, which commands cannot reach; undefined: with this policy they can. */
export function socketDenial(
  path: string,
  { policy, scopes, sockets }: Pick<DenialContext, "policy" | "scopes" | "sockets">,
): OperationDenial | undefined {
  if (!closesUnixSockets(policy)) return undefined;
  const isPrivate = policy.confinement.unixSockets === "private";
  if (isPrivate && allows(policy, path, "read") && !sockets.includes(path)) return undefined;
  const what = isPrivate
    ? "a Unix socket of another program; commands reach only those that they make themselves"
    : "a Unix socket; commands can neither make nor reach one by its path";
  return {
    operation: "unix_socket",
    subject: path,
    reason: `"${path}" is ${what}`,
    scope: scopes,
    flags: ["--unix-sockets allow"],
  };
}

/** Whether the policy keeps commands from Unix sockets. */
export function closesUnixSockets({ confinement: { unixSockets, filter }, abi }: SandboxPolicy): boolean {
  return unixSockets !== "allow" && (filter || abi >= UNIX_SOCKETS_ABI);
}

/** Since then Landlock denies connections by path. */
const UNIX_SOCKETS_ABI = 9;

/** Paths at which the output says that listening was denied, as Node reports it in every language. */
export function deniedListeners(output: string): readonly string[] {
  return [...output.slice(-LONGEST_TEXT).matchAll(/\blisten (?:EACCES|EPERM)\b[^/\n]{0,40}(\/[^\s'"]+)/gu)]
    .map(([, path = ""]) => path);
}

/** Hosts that the command and its output both name, or that the output names next to an error of connecting. */
function networkDenials({ words, output }: FailedOperation, { policy, scopes }: Context): readonly OperationDenial[] {
  const { network } = policy.confinement;
  if (network === "full" || isNetworkOpen(policy.confinement)) return [];
  if (network === "names") {
    return unlistedPlaces(`${words.join("\n")}\n${output.slice(-LONGEST_TEXT)}`, { policy, scopes });
  }
  const text = output.slice(-LONGEST_TEXT);
  const printed = hostsIn(text);
  const lines = text.split("\n");
  const resolvesNone = lines.some((line) => printsError(line, ["EAI_AGAIN"]) || UNKNOWN_NAME.test(line));
  const hosts = [
    ...hostsIn(words.join("\n").slice(0, LONGEST_TEXT)).filter((host) => resolvesNone || names(text, host)),
    ...lines.filter((line) => printsError(line, ["EAI_AGAIN", "ENETUNREACH", "EACCES"]) || FAILED_LOOKUP.test(line))
      .flatMap((line) => printed.filter((host) => names(line, host))),
    ...hostsAfterErrors(text),
  ];
  const host = hosts.find((one) => network === "none" || !isLoopback(one));
  if (host === undefined && !resolvesNone) return [];
  const named = host === undefined ? "hosts" : `"${host}"`; // pip names none
  const isOfFile = policy.confinement.boundBy?.network === network;
  const who = isOfFile ? "commands of this tool file" : "commands";
  const what = network === "none" ? `${who} have no network` : `${who} reach nothing but their own loopback`;
  return [{
    operation: "network",
    subject: host ?? "hosts",
    reason: `${named} cannot be reached: ${what} (${isOfFile ? `"network": "${network}"` : `--network ${network}`})`,
    scope: scopes,
    flags: isOfFile ? [] : ["--network full"],
  }];
}

/** What the network by name refused: known independently of the command's output. */
export function refusedNames(refused: readonly NetworkUse[], scope: readonly string[]): readonly OperationDenial[] {
  return refused.flatMap(({ name, port, refused }) => {
    if (refused === undefined) return [];
    const subject = printPlace(name, port);
    const flags = refused.flag === undefined ? [] : [refused.flag];
    const reason = `"${shorten(subject)}" ${refused.reason}`;
    const { question } = refused;
    return [{ operation: "network", subject, reason, scope, flags, ...question !== undefined && { question } }];
  });
}

const PORTS: Readonly<Record<string, number>> = { http: 80, ws: 80, https: 443, wss: 443, ssh: 22, git: 9418, ftp: 21 };

/** Addresses of a command or its output that are not listed, or whose port is not. Unlisted names are known. */
function unlistedPlaces(
  text: string,
  { policy: { confinement: { names, boundBy } }, scopes }: Context,
): readonly OperationDenial[] {
  const found = [...text.slice(0, LONGEST_TEXT).matchAll(ADDRESS_WITH_PORT)].flatMap(
    ([, scheme = "", host = "", port]) => {
      const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
      const number = Number(port ?? PORTS[scheme.toLowerCase()]);
      const isKnown = isListedName(names, name) || isAddress(name) && !isLoopback(host);
      if (!isKnown || findRule(names, name, number) !== undefined) return [];
      return [{ subject: `${host.toLowerCase()}:${number}`, ...refusedHost(name, number, boundBy) }];
    },
  );
  return found.slice(0, 1).map(({ subject, reason, flag }) => ({
    operation: "network",
    subject,
    reason: `"${subject}" ${reason}`,
    scope: scopes,
    flags: flag === undefined ? [] : [flag],
  }));
}

const ADDRESS_WITH_PORT =
  /\b(https?|wss?|git|ssh|ftp):\/\/(?:[^\s/@'"]*@)?(\[[0-9a-f:]+\]|[\p{L}\d._-]+)(?::(\d{1,5}))?/giu;

/** In addresses with a scheme, in arguments of ssh, and in errors of Python's connection pools. */
function hostsIn(text: string): readonly string[] {
  const found = [
    ...text.matchAll(/\b(?:https?|wss?|git|ssh|ftps?):\/\/(?:[^\s/@'"]*@)?(\[[0-9a-f:]+\]|[\p{L}\d._-]+)/giu),
    ...text.matchAll(/(?:^|[\s'"])[\w.-]+@([\w-]+(?:\.[\w-]+)+):/gu),
    ...text.matchAll(/\bhost='([\w.-]+)'/gu),
  ];
  return [...new Set(found.map(([, host = ""]) => host.toLowerCase()))].slice(0, MOST_HOSTS);
}

/** Of Python, for what netdb.h calls EAI_NONAME: some programs get this where nothing is resolved. */
const UNKNOWN_NAME = /\[Errno -2\]/;

/** Of Rust's standard library. */
const FAILED_LOOKUP = /\bfailed to lookup address information\b/;

/** Errors with a host behind them, of programs that translate no messages. */
const BEFORE_HOST = [
  "getaddrinfo (?:EAI_AGAIN|ENOTFOUND)|connect (?:ENETUNREACH|EACCES)", // Node
  "Could not resolve host(?:name)?:?", // libcurl in curl, git and cargo; OpenSSH
  "dial [^\\n]{0,60}\\blookup", // Go
  "error connecting to", // gh
  "Unknown host", // Maven
];
const HOST_BEHIND = new RegExp(`\\b(?:${BEFORE_HOST.join("|")}) ([\\w-]+(?:\\.[\\w-]+)*)`, "gu");

function hostsAfterErrors(text: string): readonly string[] {
  return [...text.matchAll(HOST_BEHIND)].map(([, host = ""]) => host.toLowerCase());
}

function names(text: string, host: string): boolean {
  return text.toLowerCase().includes(host);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host.startsWith("127.") || host === "[::1]" ||
    host === "0.0.0.0";
}

/** A shell's exit code for a program that a signal ended: 128 and the signal's number. */
const ENDED_BY_SIGSYS = 128 + 31;

function callDenials({ end }: FailedOperation, { policy, scopes }: Context): readonly OperationDenial[] {
  if (!policy.confinement.filter) return [];
  if (end.kind === "signalled" ? end.signal !== "SIGSYS" : end.kind !== "exited" || end.code !== ENDED_BY_SIGSYS) {
    return [];
  }
  const reason = "a program was ended by SIGSYS; so end programs of another architecture (32-bit ones) in the sandbox";
  return [{ operation: "system_call", subject: "SIGSYS", reason, scope: scopes, flags: [] }];
}
