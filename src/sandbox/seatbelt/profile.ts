/**
 * The Seatbelt profile of a session (S11), a pure function. A path never becomes part of the text, but a parameter for
 * `sandbox-exec`. The last rule that matches decides.
 */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { isWithin, parentOf } from "../../system/paths.ts";
import { DEVICE_RULES, FULL_NETWORK_RULES, LOCALHOST_RULES, SYSTEM_RULES } from "./system_rules.ts";

/** What `sandbox-exec` is given. */
export interface SeatbeltProfile {
  /** SBPL, one statement a line, closed by a line feed. */
  readonly profile: string;
  /** The value of each `(param "KEY")`, in the order of their first use. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The profile, or which path cannot be in one. */
export function seatbeltProfile(policy: SeatbeltPolicy): Outcome<SeatbeltProfile> {
  const { writable, sensitive, protected: kept, protectedFiles } = policy;
  for (const path of [...writable, ...sensitive, ...kept, ...protectedFiles]) {
    const problem = pathProblem(path);
    if (problem !== undefined) {
      return failure(`Cannot make a sandbox profile with path ${JSON.stringify(path)}: ${problem}`);
    }
  }
  const names = new Names();
  const lines = [
    "(version 1)",
    "(deny default)",
    ...SYSTEM_RULES,
    ...readRules(policy, names),
    ...DEVICE_RULES,
    ...writeRules(policy, names),
    ...socketRules(policy, names),
  ];
  return success({ profile: lines.join("\n") + "\n", parameters: names.parameters });
}

/** Why the kernel would never match a path, or a rule could not carry it; undefined: it can. */
function pathProblem(path: string): string | undefined {
  if (!path.startsWith("/")) return "it is not absolute";
  if (/[\0\n\r]/.test(path)) return "it holds a NUL or a line break";
  if (!path.isWellFormed()) return "it is not valid Unicode";
  if (path !== "/" && path.split("/").slice(1).some((name) => name === "" || name === "." || name === "..")) {
    return "it is not canonical";
  }
  return undefined;
}

/** Gives each path one parameter. */
class Names {
  readonly #parameters: Record<string, string> = {};
  readonly #keys = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  get parameters(): Readonly<Record<string, string>> {
    return this.#parameters;
  }

  /** `(param "KIND_0")` for the first path of its kind. */
  of(kind: "WRITABLE" | "SENSITIVE" | "PROTECTED" | "ANCESTOR", path: string): string {
    let key = this.#keys.get(path);
    if (key === undefined) {
      const count = this.#counts.get(kind) ?? 0;
      key = `${kind}_${count}`;
      this.#counts.set(kind, count + 1);
      this.#keys.set(path, key);
      this.#parameters[key] = path;
    }
    return `(param "${key}")`;
  }
}

function readRules({ sensitive }: SeatbeltPolicy, names: Names): readonly string[] {
  const hidden = bothSpellings(sensitive);
  return [
    "(allow file-read*)",
    ...hidden.map((path) => `(deny file-read* (subpath ${names.of("SENSITIVE", path)}))`),
    // Listing the directory above looks at it.
    ...hidden.map((path) => `(allow file-read-metadata (literal ${names.of("SENSITIVE", path)}))`),
  ];
}

function writeRules(policy: SeatbeltPolicy, names: Names): readonly string[] {
  const { writable } = policy;
  const closed = bothSpellings([...policy.sensitive, ...policy.protected]);
  const ancestors = [...new Set(closed.flatMap((path) => ancestorsWithin(path, writable)))];
  const sensitive = new Set(bothSpellings(policy.sensitive));
  const name = (path: string) => names.of(sensitive.has(path) ? "SENSITIVE" : "PROTECTED", path);
  return [
    ...writable.map((path) => `(allow file-write* (subpath ${names.of("WRITABLE", path)}))`),
    ...writable.flatMap((tree) => otherCaseRules(tree, { policy, names })),
    ...closed.map((path) => `(deny file-write* (subpath ${name(path)}))`),
    ...policy.protectedFiles.map((path) => {
      return `(deny file-write* (require-all (literal ${names.of("PROTECTED", path)}) (vnode-type REGULAR-FILE)))`;
    }),
    // Else what is closed is moved away with the directory it is in, changed, and moved back.
    ...[...writable, ...ancestors].map((path) => `(deny file-write-unlink (literal ${names.of("ANCESTOR", path)}))`),
    // Else a link to an open place stands where a directory is missing still.
    ...ancestors.map((path) => {
      return `(deny file-write-create (require-all (literal ${names.of("ANCESTOR", path)}) (vnode-type SYMLINK)))`;
    }),
    // A second name of a closed file, or of one outside, would be open.
    "(deny file-link)",
    "(deny file-write-setugid)",
  ];
}

/** Directories between a path and the writable tree it lies in, nearest first; none of a path outside. */
function ancestorsWithin(path: string, writable: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let above = parentOf(path); above !== parentOf(above); above = parentOf(above)) {
    if (writable.some((tree) => above !== tree && isWithin(above, tree))) found.push(above);
  }
  return found;
}

/** Names that may stand in a regular expression: what protects them needs no path. */
const PLAIN_NAME = /^[A-Za-z0-9._/-]+$/;

/**
 * Volumes of macOS take `.Git/Hooks` for `.git/hooks`, and a rule compares letters. So other spellings of protected
 * names are denied, wherever they are in the tree, and the usual one allowed again before it is decided by its place.
 */
function otherCaseRules(tree: string, { policy, names }: { policy: SeatbeltPolicy; names: Names }): readonly string[] {
  const below = policy.protected.filter((path) => path !== tree && isWithin(path, tree))
    .map((path) => path.slice(tree === "/" ? 1 : tree.length + 1))
    .filter((name) => PLAIN_NAME.test(name) && name.toLowerCase() !== name.toUpperCase());
  const inTree = `(subpath ${names.of("WRITABLE", tree)})`;
  const rule = (action: "allow" | "deny", pattern: string) => {
    return `(${action} file-write* (require-all ${inTree} (regex #"/${pattern}(/|$)")))`;
  };
  const plain = (name: string) => name.replaceAll(".", "\\.");
  const anyCase = (name: string) => {
    return plain(name).replace(/[A-Za-z]/g, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
  };
  return [
    ...below.map((name) => rule("deny", anyCase(name))),
    ...below.map((name) => rule("allow", plain(name))),
  ];
}

function socketRules({ network, unixSockets, writable }: SeatbeltPolicy, names: Names): readonly string[] {
  const ip = network === "full" ? FULL_NETWORK_RULES : network === "localhost" ? LOCALHOST_RULES : [];
  const sockets = ["(allow system-socket (socket-domain AF_UNIX))"];
  if (unixSockets === "allow") {
    return [
      ...ip,
      ...sockets,
      "(allow network-bind (local unix-socket))",
      "(allow network-outbound (remote unix-socket))",
    ];
  }
  return [
    ...ip,
    ...sockets,
    ...writable.flatMap((path) => [
      `(allow network-bind (local unix-socket (subpath ${names.of("WRITABLE", path)})))`,
      `(allow network-outbound (remote unix-socket (subpath ${names.of("WRITABLE", path)})))`,
    ]),
  ];
}

/** Links into `/private` on every Mac (hier(7)). */
const LINKED = /^\/(tmp|var|etc)(?=\/|$)/;
const LINK_TARGET = /^\/private(?=\/(tmp|var|etc)(\/|$))/;

/** Each path as spelled and as the kernel resolves it, without duplicates. */
export function bothSpellings(paths: readonly string[]): readonly string[] {
  return [
    ...new Set(paths.flatMap((path) => {
      if (LINKED.test(path)) return [path, `/private${path}`];
      return LINK_TARGET.test(path) ? [path, path.replace(LINK_TARGET, "")] : [path];
    })),
  ];
}

/** What commands may do on macOS, as data (S11). Reads are open but for what is sensitive (docs/security.md). */

/** How far commands reach over IP (S6). On macOS `localhost` is the machine's own: no private one can be made. */
export type SeatbeltNetwork = "full" | "localhost" | "none";

/** All paths are absolute and without `.`, `..`, doubled or closing slashes; links are followed before. */
export interface SeatbeltPolicy {
  /** Canonical trees that may be changed: the scopes first, then what `--write` names, temp and caches. */
  readonly writable: readonly string[];
  /** Never readable nor writable, as spelled and where it really is (S7). Names and kinds stay visible. */
  readonly sensitive: readonly string[];
  /** Parts of `writable` that may not be changed, existing or not (S8). */
  readonly protected: readonly string[];
  /** The same for those where a directory is not meant: `.git` as a file leads to a repository somewhere else. */
  readonly protectedFiles: readonly string[];
  readonly network: SeatbeltNetwork;
  /** `allow`: Unix sockets everywhere, those of docker and ssh-agent included; `deny`: only in `writable`. */
  readonly unixSockets: "deny" | "allow";
}
