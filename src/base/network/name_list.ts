/**
 * The list of `--network`: which hosts commands may connect to (S30). Pure.
 *
 * Entries are separated by commas: `name`, `*.name` (names below it, never itself), an IP address, or a preset; each with
 * `:port` or `:port,port` behind it, and `/any` behind a port where any protocol may be spoken.
 */
import { failure, type Outcome, success } from "../outcome.ts";
import { didYouMean } from "../suggest.ts";
import { shorten, writtenOut } from "../visible_text.ts";

/** One entry, for each port that it has. */
export interface NameRule {
  /** In small letters and A-labels, without a dot at the end; an address as the URL parser writes it. */
  readonly name: string;
  /** `below`: every name below it. */
  readonly kind: "name" | "below" | "address";
  readonly port: number;
  /** False: TLS and HTTP must name the host, and the ports of the web carry only these two. */
  readonly anyProtocol: boolean;
}

/** Never empty: leaving a list out allows nothing. */
export type NameList = readonly NameRule[];

const WEB_PORTS = [{ port: 80, anyProtocol: false }, { port: 443, anyProtocol: false }] as const;
const MOST_RULES = 1000;
/** Each port is a listener in the network of commands. */
const MOST_PORTS = 32;
const DNS_PORT = 53;
const LARGEST_PORT = 65_535;
const LONGEST_NAME = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const IPV4 = /^(?:\d+\.){3}\d+$/;
const PORT = /^(\d{1,5})(\/any)?$/;

/** The rules of a list; the problem names the entry. */
export function parseNameList(text: string): Outcome<NameList> {
  const rules = new Map<string, NameRule>();
  for (const { host, ports, entry } of entriesOf(text)) {
    const found = rulesOf(host, ports, entry);
    if (!found.ok) return found;
    for (const rule of found.value) {
      const key = `${printHost(rule)}:${rule.port}`;
      const anyProtocol = rule.anyProtocol || rules.get(key)?.anyProtocol === true;
      rules.set(key, { ...rule, anyProtocol });
    }
  }
  const list = [...rules.values()];
  if (list.length > MOST_RULES) return failure(`it names more than ${MOST_RULES} hosts and ports`);
  if (portsOf(list).length > MOST_PORTS) return failure(`it names more than ${MOST_PORTS} different ports`);
  return success(list);
}

/** The rule for a host, in small letters or as an address, on a port; undefined: it is not listed there. */
export function findRule(list: NameList, host: string, port: number): NameRule | undefined {
  const found = list.filter((rule) => rule.port === port && matches(rule, host));
  return found.find(({ anyProtocol }) => anyProtocol) ?? found[0];
}

/** Whether a name is listed on some port. */
export function isListedName(list: NameList, host: string): boolean {
  return list.some((rule) => rule.kind !== "address" && matches(rule, host));
}

/** Whether an entry of the list is exactly this name, on some port. */
export function hasName(list: NameList, host: string): boolean {
  return list.some(({ kind, name }) => kind === "name" && name === host);
}

/** Ports, each once, lowest first. */
export function portsOf(list: NameList): readonly number[] {
  return [...new Set(list.map(({ port }) => port))].sort((one, other) => one - other);
}

/** The IP addresses that are listed, each once. */
export function addressesIn(list: NameList): readonly string[] {
  return [...new Set(list.filter(({ kind }) => kind === "address").map(({ name }) => name))];
}

/** The inner list, if the outer one allows all of it; the problem names what it does not allow. */
export function narrowed(outer: NameList, inner: NameList): Outcome<NameList> {
  const wider = inner.find((rule) => !outer.some((one) => covers(one, rule)));
  return wider === undefined ? success(inner) : failure(`"${printRule(wider)}" is not allowed by the list around it`);
}

/** The list with those of these rules that it does not allow yet. */
export function withHosts(list: NameList, more: NameList): NameList {
  return more.reduce<NameList>((all, rule) => all.some((one) => covers(one, rule)) ? all : [...all, rule], list);
}

/** A list that parses to the same rules. */
export function printNameList(list: NameList): string {
  return printHosts(list).join(",");
}

/** Its entries, one for each host. */
export function printHosts(list: NameList): readonly string[] {
  const hosts = Map.groupBy(list, printHost);
  return [...hosts].map(([host, rules]) => `${host}:${rules.map(printPort).join(",")}`);
}

/** A host as an entry names it, with its port where that is known. */
export function printPlace(host: string, port: number | undefined): string {
  if (port === undefined) return host;
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function matches({ kind, name }: NameRule, host: string): boolean {
  return kind === "below" ? host.endsWith(`.${name}`) : host === name;
}

/** Whether the outer rule allows all that the inner one does. */
export function covers(outer: NameRule, inner: NameRule): boolean {
  if (outer.port !== inner.port || inner.anyProtocol && !outer.anyProtocol) return false;
  if (inner.kind !== "below") return matches(outer, inner.name);
  return outer.kind === "below" && (outer.name === inner.name || matches(outer, inner.name));
}

interface Entry {
  readonly entry: string;
  readonly host: string;
  /** Texts; empty: those of the web. */
  readonly ports: string[];
}

/** A part that consists of digits is a port of the entry before it. */
function entriesOf(text: string): readonly Entry[] {
  const entries: Entry[] = [];
  for (const piece of text.split(",").map((one) => one.trim())) {
    const before = entries.at(-1);
    if (before !== undefined && before.ports.length > 0 && PORT.test(piece)) before.ports.push(piece);
    else entries.push({ entry: piece, ...hostAndPort(piece) });
  }
  return entries;
}

function hostAndPort(piece: string): Omit<Entry, "entry"> {
  const [, bracketed, after] = /^(\[[^\]]*\])(?::(.*))?$/.exec(piece) ?? [];
  if (bracketed !== undefined) return { host: bracketed, ports: after === undefined ? [] : [after] };
  const colon = piece.indexOf(":");
  const isIpv6 = colon !== piece.lastIndexOf(":");
  if (colon < 0 || isIpv6) return { host: piece, ports: [] };
  return { host: piece.slice(0, colon), ports: [piece.slice(colon + 1)] };
}

function rulesOf(host: string, texts: readonly string[], entry: string): Outcome<NameList> {
  const refuse = (why: string) => failure(`"${shown(entry)}" ${why}`);
  if (entry === "") return failure("an entry is empty");
  const scheme = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(entry);
  if (scheme !== null) return refuse(`is an address of a page: write the host alone, "${shown(scheme[1] ?? "")}"`);
  const preset = PRESETS.get(host);
  if (preset !== undefined) {
    return texts.length === 0 ? parseNameList(preset.join(",")) : refuse("is a list with ports of its own");
  }
  const place = placeOf(host);
  if (!place.ok) return refuse(place.problem);
  const ports = texts.map((text) => PORT.exec(text));
  const wrong = texts.find((_, at) => !isPort(Number(ports[at]?.[1])));
  if (wrong !== undefined) return refuse(`has no port: "${shown(wrong)}" is not a number from 1 to ${LARGEST_PORT}`);
  if (ports.some((port) => Number(port?.[1]) === DNS_PORT)) {
    return refuse(`names port ${DNS_PORT}: names are looked up by the server itself`);
  }
  const chosen = ports.map((port) => ({ port: Number(port?.[1]), anyProtocol: port?.[2] !== undefined }));
  return success((chosen.length === 0 ? WEB_PORTS : chosen).map((port) => ({ ...place.value, ...port })));
}

/** The message form of a text that may be long or contain control characters. */
function shown(text: string): string {
  return shorten(writtenOut(text), 80);
}

function isPort(port: number): boolean {
  return port >= 1 && port <= LARGEST_PORT;
}

/** The problem follows the entry. */
function placeOf(text: string): Outcome<Pick<NameRule, "name" | "kind">> {
  const isBelow = text.startsWith("*.");
  const plain = isBelow ? text.slice(2) : text;
  const name = canonical(plain);
  if (name === undefined || name === "") {
    return failure(plain.includes("*") ? "has a star that is not its first label" : "is not the name of a host");
  }
  if (IPV4.test(name) || name.startsWith("[")) return addressPlace(name, { plain, isBelow });
  if (/(?:^|\.)localhost$/.test(name)) {
    return failure("is the loopback of commands, which no list opens to this machine");
  }
  if (name.length > LONGEST_NAME || !name.split(".").every((label) => LABEL.test(label))) {
    return failure("is not the name of a host");
  }
  if (name.includes(".")) return success({ name, kind: isBelow ? "below" : "name" });
  if (isBelow) return failure("stands for every name of a domain: name what lies below it");
  const guess = didYouMean(name, PRESETS.keys());
  return failure(`is neither the full name of a host nor a list that is shipped${guess}`);
}

function addressPlace(
  text: string,
  { plain, isBelow }: { readonly plain: string; readonly isBelow: boolean },
): Outcome<Pick<NameRule, "name" | "kind">> {
  const name = text.replace(/^\[(.*)\]$/, "$1").replace(/^::ffff:([0-9a-f]+):([0-9a-f]+)$/, (_, high, low) => {
    const value = [high, low].map((part: string) => parseInt(part, 16));
    return value.flatMap((part) => [part >> 8, part & 255]).join(".");
  });
  if (isBelow) return failure("has a star before an address");
  // Programs disagree about numbers such as 010.0.0.1, so that a person could mean another machine.
  if (IPV4.test(text) && plain.replace(/\.$/, "") !== text) return failure(`is an address that is written "${text}"`);
  if (/^(?:127|0)\.|^::1?$/.test(name)) {
    return failure("is the loopback of commands, which no list opens to this machine");
  }
  if (/^198\.1[89]\./.test(name)) return failure("is an address that stands for a name in the network of commands");
  return success({ name, kind: "address" });
}

/** The name as the URL parser writes it: in lower case, with A-labels; undefined: it is not a name. */
function canonical(text: string): string | undefined {
  const host = text.includes(":") && !text.startsWith("[") ? `[${text}]` : text;
  // The URL parser drops tabs and line ends, and ends a host at these characters.
  if (/[\s\p{Cc}/?#@\\%*]/u.test(host) || !URL.canParse(`http://${host}/`)) return undefined;
  return new URL(`http://${host}/`).hostname.replace(/\.$/, "");
}

function printHost({ kind, name }: NameRule): string {
  return kind === "below" ? `*.${name}` : name.includes(":") ? `[${name}]` : name;
}

function printPort({ port, anyProtocol }: NameRule): string {
  return `${port}${anyProtocol ? "/any" : ""}`;
}

function printRule(rule: NameRule): string {
  return `${printHost(rule)}:${printPort(rule)}`;
}

/** Ports at which hosts beyond a list can be asked for (S35): of ssh and the web. */
export const ASKED_PORTS: readonly number[] = [22, 80, 443];

import LISTS from "./presets.json" with { type: "json" };

/** Shipped lists by name: the registries of package managers, and the hosts of repositories. */
export const PRESETS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(LISTS));
