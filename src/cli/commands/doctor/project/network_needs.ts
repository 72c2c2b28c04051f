/** The list of hosts that a project needs (S30): by its programs, and by the addresses in its files. Pure. */
import { type NameList, narrowed, parseNameList } from "../../../../base/network/name_list.ts";
import { shortNameList } from "../../../../base/network/short_name_list.ts";
import { HOSTS_OF_PROGRAMS } from "./network_names.ts";

/** Where a remote of git is, in the form of ssh: `user@host:path`. */
const OF_SSH = /^(?:[\w.-]{1,100}@)?([\w-][\w.-]{0,252}):(?!\/\/)/;

const PORTS: Readonly<Record<string, string>> = {
  "https:": "443",
  "http:": "80",
  "ssh:": "22/any",
  "git:": "9418/any",
};

/** Hosts for these programs and addresses; what is not the address of a host is left out. Empty: none are needed. */
export function neededHosts(programs: readonly string[], addresses: readonly string[]): NameList {
  const known = programs.flatMap((program) => HOSTS_OF_PROGRAMS[program] ?? []);
  const entries = [...known, ...addresses.flatMap((address) => entryOf(address) ?? [])];
  const list = parseNameList([...new Set(entries)].join(","));
  return list.ok ? list.value : [];
}

/** What `list` lacks of what is needed, as it is typed, or for people within `longest` characters; undefined: nothing. */
export function missingHosts(list: NameList, needed: NameList, longest?: number): string | undefined {
  const missing = needed.filter((rule) => !narrowed(list, [rule]).ok);
  return missing.length === 0 ? undefined : shortNameList(missing, longest);
}

/** The host of an address and its port, as an entry; undefined: a list holds no such host. */
function entryOf(address: string): string | undefined {
  const [, host] = OF_SSH.exec(address) ?? [];
  const text = host === undefined ? ofUrl(address.replaceAll("\\:", ":")) : `${host}:22/any`;
  return text !== undefined && parseNameList(text).ok ? text : undefined;
}

function ofUrl(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port } = new URL(address);
  const usual = PORTS[protocol];
  if (usual === undefined || hostname === "") return undefined;
  return `${hostname}:${port === "" ? usual : port}${port !== "" && usual.endsWith("/any") ? "/any" : ""}`;
}
