/** Values with which git runs, reads and sends nothing more (S24); no other value is harmless. Pure. */
import { words } from "../../base/text.ts";

const LONGEST = 2048;
const BOOLEAN = /^(?:true|false)$/;
/** Without control characters and characters that reorder or hide others. */
const PLAIN_TEXT = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u;
const REMOTE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+@-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.+@-]*)*$/;
const BRANCH = /^refs\/heads\/[^\s~^:?*[\\\p{Cc}\p{Cf}]+$/u;
/**
 * Addresses on the network that git itself speaks to: what has another scheme, or `name::`, is given to a helper
 * program. A path, or `file://`, could lead to a repository of a command's, whose hooks a push runs.
 */
const SCHEME =
  /^(?:https?|ssh|git):\/\/(?:[\w.%+~][\w.%+~:-]*@)?[A-Za-z0-9_][\w.-]*(?::\d{1,5})?(?:\/[^\s\p{Cc}\p{Cf}]*)?$/iu;
/** `user@host:path`, as for ssh; neither part can be taken for an option. */
const SSH_PLACE = /^(?:[A-Za-z0-9_.][\w.+-]*@)?[A-Za-z0-9_][\w.-]*:(?!:|-|\/\/)[^\s\p{Cc}\p{Cf}]+$/u;

/** Values of variables without a subsection, by key. */
const PLAIN_KEYS: ReadonlyMap<string, RegExp> = new Map([
  ...words(
    "core.ignorecase core.filemode core.precomposeunicode core.quotepath core.sparsecheckout core.sparsecheckoutcone " +
      "core.symlinks fetch.prune index.sparse push.autosetupremote rebase.autosquash rebase.autostash rerere.enabled",
  ).map((key) => [key, BOOLEAN] as const),
  ["core.autocrlf", /^(?:true|false|input)$/],
  ["core.eol", /^(?:lf|crlf|native)$/],
  ["merge.conflictstyle", /^(?:merge|diff3|zdiff3)$/],
  ["pull.ff", /^(?:true|false|only)$/],
  ["pull.rebase", /^(?:true|false|merges)$/],
  ["user.email", PLAIN_TEXT],
  ["user.name", PLAIN_TEXT],
]);

/** Whether the value of a variable without a subsection is harmless. */
export function isHarmlessValue(key: string, value: string): boolean {
  return value.length <= LONGEST && PLAIN_KEYS.get(key)?.test(value) === true;
}

/** Whether git takes the name of a remote, or of a submodule, for nothing else. */
export function isPlainName(name: string): boolean {
  return name.length <= LONGEST && REMOTE_NAME.test(name) && !name.includes("..");
}

/** Whether git fetches from the address, and pushes to it, without a program or hook that a command could name. */
export function isPlainAddress(value: string): boolean {
  return value.length <= LONGEST && !value.includes("::") && (SCHEME.test(value) || SSH_PLACE.test(value));
}

/** Whether the value names a branch of a remote. */
export function isBranch(value: string): boolean {
  return value.length <= LONGEST && BRANCH.test(value) && !value.includes("..");
}

/** Whether the refspec writes nothing but the remote's own tracking branches. */
export function isTrackingRefspec(value: string, remote: string): boolean {
  const [from = "", to = "", ...more] = value.replace(/^\+/, "").split(":");
  return more.length === 0 && from.startsWith("refs/heads/") && to.startsWith(`refs/remotes/${remote}/`) &&
    value.length <= LONGEST && !/[\s\p{Cc}\p{Cf}]|\.\./u.test(value);
}

/** Whether the value is `true` or `false` in full. */
export function isBoolean(value: string): boolean {
  return BOOLEAN.test(value);
}
