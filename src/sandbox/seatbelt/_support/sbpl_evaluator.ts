/**
 * Decides what a Seatbelt profile allows, for tests: the last rule that matches wins. It knows the operations and
 * filters that the generator may use, and refuses every other word.
 */
import { type Expression, isList, readProfile } from "./sbpl_reader.ts";

/** What a process asks the kernel for. */
export interface SandboxRequest {
  readonly operation: string;
  /** Of the file, links followed. */
  readonly path?: string;
  /** Default: REGULAR-FILE. */
  readonly vnode?: "REGULAR-FILE" | "DIRECTORY" | "SYMLINK" | "CHARACTER-DEVICE";
  /** The sysctl, Mach service or class. */
  readonly name?: string;
  /** `localhost:80` or `203.0.113.1:80`. */
  readonly address?: string;
  /** Of a Unix socket. */
  readonly socket?: string;
  /** Whether the other process is in the same sandbox; default: not. */
  readonly sameSandbox?: boolean;
  /** Whether the process was handed the terminal; default: not. */
  readonly pty?: boolean;
}

const OPERATIONS = new Set([
  ...["file-read*", "file-read-data", "file-read-metadata", "file-write*", "file-write-data", "file-write-create"],
  ...["file-write-unlink", "file-write-mode", "file-write-setugid", "file-link", "file-ioctl", "process-exec"],
  ...["process-fork", "process-info*", "signal", "mach-priv-task-port", "mach-host*", "mach-lookup"],
  ...["user-preference-read", "sysctl-read", "sysctl-write", "iokit-open", "iokit-get-properties", "ipc-posix-sem"],
  ...["ipc-posix-shm", "pseudo-tty", "system-socket", "network*", "network-bind", "network-inbound"],
  "network-outbound",
]);

interface Rule {
  readonly allows: boolean;
  readonly operations: readonly string[];
  readonly filters: readonly (readonly Expression[])[];
}

export class SeatbeltEvaluator {
  readonly #rules: readonly Rule[];
  readonly #parameters: Readonly<Record<string, string>>;
  readonly #used = new Set<string>();

  /** @throws {SyntaxError} For what is no profile of ours, and when parameters and their uses are not the same. */
  constructor(profile: string, parameters: Readonly<Record<string, string>>) {
    const [version, fallback, ...rules] = readProfile(profile);
    this.#parameters = parameters;
    if (JSON.stringify([version, fallback]) !== JSON.stringify(readProfile("(version 1)\n(deny default)\n"))) {
      throw new SyntaxError("The profile does not begin with (version 1) and (deny default)");
    }
    this.#rules = rules.map(readRule);
    for (const filter of this.#rules.flatMap(({ filters }) => filters)) this.#check(filter);
    const unused = Object.keys(parameters).filter((key) => !this.#used.has(key));
    if (unused.length > 0) throw new SyntaxError(`Parameters without use: ${unused.join(", ")}`);
  }

  allows(request: SandboxRequest): boolean {
    if (request.operation.endsWith("*") || !OPERATIONS.has(request.operation)) {
      throw new SyntaxError(`Unknown operation "${request.operation}"`);
    }
    const last = this.#rules.findLast(({ operations, filters }) => {
      return operations.some((one) => covers(one, request.operation)) &&
        (filters.length === 0 || filters.some((filter) => this.#matches(filter, request)));
    });
    return last?.allows ?? false;
  }

  /** Every filter is tried against everything, so that an unknown word in a rule that never applies is found too. */
  #check(filter: readonly Expression[]): void {
    const full = { path: "/", name: "x", address: "localhost:1", socket: "/", sameSandbox: true, pty: true } as const;
    this.#matches(filter, { operation: "file-read-data", ...full });
    if (["require-all", "require-any", "require-not"].includes(nameOf(filter[0]))) {
      for (const part of filter.slice(1)) this.#check(listOf(part));
    }
    if (["local", "remote"].includes(nameOf(filter[0])) && isList(filter[2])) this.#check(filter[2]);
  }

  #matches(filter: readonly Expression[], request: SandboxRequest): boolean {
    const [head, ...rest] = filter;
    const parts = () => rest.map((part) => this.#matches(listOf(part), request));
    const { path, name } = request;
    switch (nameOf(head)) {
      case "require-all":
        return parts().every(Boolean);
      case "require-any":
        return parts().some(Boolean);
      case "require-not":
        return !parts().some(Boolean);
      case "literal":
      case "path-literal":
        return path === this.#text(only(rest));
      case "subpath":
        return path !== undefined && isBelow(path, this.#text(only(rest)));
      case "regex":
        return path !== undefined && new RegExp(regexOf(only(rest))).test(path);
      case "vnode-type":
        return wordOf(only(rest), VNODES, "kind of file") === (request.vnode ?? "REGULAR-FILE") && path !== undefined;
      case "extension":
        return this.#text(only(rest)) === "com.apple.sandbox.pty" && request.pty === true;
      case "target":
        return wordOf(only(rest), ["same-sandbox", "self"], "target") === "same-sandbox" &&
          request.sameSandbox === true;
      case "global-name":
      case "sysctl-name":
      case "iokit-registry-entry-class":
        return name === this.#text(only(rest));
      case "sysctl-name-prefix":
        return name?.startsWith(this.#text(only(rest))) === true;
      case "socket-domain":
      case "socket-protocol":
        return name === nameOf(only(rest));
      case "local":
      case "remote":
        return this.#matchesEnd(rest, request);
      default:
        throw new SyntaxError(`Unknown filter "${nameOf(head)}"`);
    }
  }

  /** One end of a connection: `ip`, `ip "localhost:*"`, `unix-socket`, `unix-socket (subpath ...)`. */
  #matchesEnd([kind, detail, ...more]: readonly Expression[], request: SandboxRequest): boolean {
    if (more.length > 0) throw new SyntaxError("Too much in (local) or (remote)");
    switch (nameOf(kind)) {
      case "ip": {
        const pattern = detail === undefined ? "*:*" : this.#text(detail);
        if (pattern !== "*:*" && pattern !== "localhost:*") throw new SyntaxError(`Unknown address "${pattern}"`);
        return request.address !== undefined && (pattern === "*:*" || request.address.startsWith("localhost:"));
      }
      case "unix-socket": {
        const { socket: path, operation } = request;
        if (path === undefined) return false;
        return detail === undefined || this.#matches(listOf(detail), { operation, path });
      }
      default:
        throw new SyntaxError(`Unknown kind of address "${nameOf(kind)}"`);
    }
  }

  /** A string, or the value of a parameter. */
  #text(expression: Expression): string {
    if (!isList(expression)) {
      if (expression.kind === "text") return expression.text;
      throw new SyntaxError("Expected a string");
    }
    const [head, key] = expression;
    if (nameOf(head) !== "param" || expression.length !== 2 || key === undefined) {
      throw new SyntaxError("Expected (param)");
    }
    const name = this.#text(key);
    this.#used.add(name);
    const value = this.#parameters[name];
    if (value === undefined) throw new SyntaxError(`No value for parameter "${name}"`);
    return value;
  }
}

function readRule([action, ...rest]: readonly Expression[]): Rule {
  const verb = nameOf(action);
  if (verb !== "allow" && verb !== "deny") throw new SyntaxError(`Unknown statement "${verb}"`);
  const operations = rest.filter((one) => !isList(one)).map(nameOf);
  const filters = rest.filter(isList);
  if (operations.length === 0) throw new SyntaxError("A rule without an operation");
  for (const one of operations) {
    if (!OPERATIONS.has(one)) throw new SyntaxError(`Unknown operation "${one}"`);
  }
  return { allows: verb === "allow", operations, filters };
}

function covers(operation: string, asked: string): boolean {
  return operation === asked || operation.endsWith("*") && asked.startsWith(operation.slice(0, -1));
}

function isBelow(path: string, tree: string): boolean {
  return path === tree || path.startsWith(tree === "/" ? "/" : `${tree}/`);
}

function only(rest: readonly Expression[]): Expression {
  const [first] = rest;
  if (first === undefined || rest.length !== 1) throw new SyntaxError("Expected one value");
  return first;
}

function nameOf(expression: Expression | undefined): string {
  if (expression === undefined || isList(expression) || expression.kind !== "name") {
    throw new SyntaxError("Expected a name");
  }
  return expression.name;
}

function listOf(expression: Expression): readonly Expression[] {
  if (!isList(expression)) throw new SyntaxError("Expected a filter");
  return expression;
}

function regexOf(expression: Expression): string {
  if (isList(expression) || expression.kind !== "regex") throw new SyntaxError('Expected #"..."');
  return expression.source;
}

const VNODES = ["REGULAR-FILE", "DIRECTORY", "SYMLINK", "CHARACTER-DEVICE"];

function wordOf(expression: Expression, known: readonly string[], what: string): string {
  const name = nameOf(expression);
  if (!known.includes(name)) throw new SyntaxError(`Unknown ${what} "${name}"`);
  return name;
}
