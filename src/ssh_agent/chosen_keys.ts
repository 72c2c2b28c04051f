/** `--ssh-agent KEY`: which keys of the user's agent commands may use. */
import { sameBytes } from "../base/bytes.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { shorten, writtenOut } from "../base/visible_text.ts";
import type { Identity } from "./wire/messages.ts";
import { fingerprintOf, keyKind, parsePublicKey } from "./wire/public_key.ts";

/** Certificates are left out: hosts may accept them for other names. */
const CERTIFICATE = /-cert-v\d+@openssh\.com$/;

/**
 * The keys that were named by fingerprint, comment or file, each once, in that order. `readKey`: the text of a file of
 * a public key; the problem: why it cannot be used.
 */
export async function chooseKeys(
  named: readonly string[],
  identities: readonly Identity[],
  readKey: (path: string) => Promise<Outcome<string>>,
): Promise<Outcome<readonly Identity[]>> {
  const usable = identities.filter(({ key }) => !CERTIFICATE.test(keyKind(key)));
  const prints = await Promise.all(usable.map(({ key }) => fingerprintOf(key)));
  const chosen = new Set<Identity>();
  for (const name of named) {
    const wanted = await wantedKey(name, readKey);
    if (!wanted.ok) return wanted;
    const found = usable.filter(({ key, comment }, at) =>
      wanted.value === undefined ? prints[at] === name || comment === name : sameBytes(key, wanted.value)
    );
    const [first] = found;
    if (found.length > 1) {
      return failure(
        `Cannot use key "${shown(name)}": your ssh agent has ${found.length} of that comment. Write SHA256:...`,
      );
    }
    if (first === undefined) return failure(missing(name, usable.length));
    chosen.add(first);
  }
  return success([...chosen]);
}

/** The key in a file; undefined: the name is not that of a file. */
async function wantedKey(
  name: string,
  readKey: (path: string) => Promise<Outcome<string>>,
): Promise<Outcome<Uint8Array | undefined>> {
  if (!name.startsWith("/")) return success(undefined);
  const text = await readKey(name);
  if (!text.ok) return text;
  const key = parsePublicKey(text.value);
  return key === undefined
    ? failure(`Cannot use key "${shown(name)}": the file holds no public key of ssh`)
    : success(key);
}

function missing(name: string, count: number): string {
  const has = count === 0 ? "it has no keys, or is locked" : "`ssh-add -l` shows those that it has";
  return `Cannot use key "${
    shown(name)
  }": your ssh agent does not have it (${has}). Run ssh-add, then start the server again`;
}

function shown(text: string): string {
  return shorten(writtenOut(text));
}
