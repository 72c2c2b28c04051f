/** The file that tells running servers what a person accepted with `ahma_mcp accept` (S24). Pure but for the place. */
import { attempt } from "../../base/errors.ts";
import type { FileIdentity } from "../../system/libc.ts";
import { stateDirectory } from "../../system/user_directories.ts";
import type { Obeyed } from "./repository_form.ts";

/** Older lines are dropped: at its start, a server accepts existing repositories without them. */
const MOST_LINES = 256;

/** A repository, and what git obeys in it. */
export interface Accepted {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly obeyed: readonly Obeyed[];
}

/** Where it is; undefined: no variable says where the user's state is kept. */
export function acceptedFile(environment: Readonly<Record<string, string>>): string | undefined {
  const state = stateDirectory(environment);
  return state === undefined ? undefined : `${state}/accepted_repositories`;
}

/** The text of the file with one more. */
export function withAccepted(text: string, { path, identity, obeyed }: Accepted): string {
  const line = JSON.stringify([placeOf(path, identity), ...obeyed.map(wordOf)]);
  return [...text.split("\n").filter((one) => one !== "").slice(1 - MOST_LINES), line, ""].join("\n");
}

/** Whether all that git obeys was accepted; what a command exchanged or changed since was not. */
export function isAccepted(text: string, { path, identity, obeyed }: Accepted): boolean {
  const place = placeOf(path, identity);
  return text.split("\n").some((line) => {
    const words: unknown = attempt(SyntaxError, () => JSON.parse(line)); // not of a line that was cut off
    if (!Array.isArray(words)) return false;
    const [named, ...accepted] = words;
    return named === place && obeyed.every((one) => accepted.includes(wordOf(one)));
  });
}

function placeOf(path: string, { device, inode }: FileIdentity): string {
  return `${device}:${inode} ${path}`;
}

function wordOf({ name, state }: Obeyed): string {
  return `${name}\n${state}`;
}
