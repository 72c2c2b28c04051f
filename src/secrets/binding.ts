/** `--secret NAME=HOST[,HOST][:git|:METHOD /path/*]` (S33): into which requests to which hosts a secret is inserted. Pure. */
import { failure, type Outcome, success } from "../base/outcome.ts";
import { shorten, writtenOut } from "../base/visible_text.ts";
import { type NameList, parseNameList } from "../base/network/name_list.ts";

/** The requests that may carry the secret. */
export type SecretUse =
  | { readonly kind: "any" }
  /** Those of git over HTTPS, which sends the secret by itself. */
  | { readonly kind: "git" }
  /** `method` `*`: any. `path` begins with a slash; `*` stands for a part of it, at its end for all that follows. */
  | { readonly kind: "requests"; readonly method: string; readonly path: string };

/** One flag. */
export interface SecretBinding {
  /** Name of the variable in which commands have the placeholder. */
  readonly name: string;
  /** Names, each with a port. */
  readonly hosts: NameList;
  readonly use: SecretUse;
}

const FORM = /^([A-Za-z_]\w*)=([^:]+(?::\d+(?:,[^:]+)?)*)(?::(git|(?:[A-Z]+|\*) \/.*))?$/;
/** Programs need their real values. */
const NEEDED: readonly string[] = ["HOME", "IFS", "LD_PRELOAD", "PATH", "SHELL", "TMPDIR", "USER"];
const PATH = /^\/[\w!$&'()+,\-.;=@~/*%]*$/;

/** What a flag says; the problem follows a colon. */
export function parseBinding(text: string): Outcome<SecretBinding> {
  const [, name, hosts, use] = FORM.exec(text) ?? [];
  if (name === undefined || hosts === undefined) {
    return failure(`"${shown(text)}" is not NAME=HOST, NAME=HOST:git or "NAME=HOST:GET /path/*"`);
  }
  if (NEEDED.includes(name)) {
    return failure(
      `"${name}" is a variable that programs need, and they would get a placeholder: name that of a token`,
    );
  }
  const listed = parseNameList(hosts.split(",").map(withPort).join(","));
  if (!listed.ok) return listed;
  const other = listed.value.find(({ kind, anyProtocol }) => kind !== "name" || anyProtocol);
  if (other !== undefined) {
    return failure(
      `"${other.kind === "below" ? "*." : ""}${
        shown(other.name)
      }" is not the whole name of a host: a secret belongs to named hosts only`,
    );
  }
  const rule = useOf(use);
  return rule.ok ? success({ name, hosts: listed.value, use: rule.value }) : rule;
}

/** For people. */
export function printUse(use: SecretUse): string {
  return use.kind === "requests" ? `${use.method} ${use.path}` : use.kind === "git" ? "git" : "all requests";
}

/** Only HTTPS carries secrets. */
function withPort(host: string): string {
  return host.includes(":") || /^\d+$/.test(host) ? host : `${host.trim()}:443`;
}

function useOf(text: string | undefined): Outcome<SecretUse> {
  if (text === undefined) return success({ kind: "any" });
  if (text === "git") return success({ kind: "git" });
  const at = text.indexOf(" ");
  const [method, path] = [text.slice(0, at), text.slice(at + 1)];
  return PATH.test(path) && !path.includes("//")
    ? success({ kind: "requests", method, path })
    : failure(`"${shown(path)}" is not a path such as /repos/*`);
}

function shown(text: string): string {
  return shorten(writtenOut(text));
}
