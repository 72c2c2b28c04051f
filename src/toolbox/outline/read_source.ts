/** The text of a source file, or why it is left out. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { kindOf } from "../files/read_kind.ts";
import type { Tree } from "../../system/tree/tree.ts";

/** Longer files are left out as generated. */
export const MOST_SOURCE_BYTES = 1024 * 1024;

/** `path` is relative to the root of the tree. The problem is a reason for the list of skipped files. */
export function readSource(tree: Tree, path: string): Outcome<string> {
  const bytes = tree.read(path, MOST_SOURCE_BYTES);
  return bytes === undefined ? failure(whyUnread(tree, path)) : textOf(bytes);
}

/** Decodes a complete file and normalizes its line endings. */
export function textOf(bytes: Uint8Array): Outcome<string> {
  const kind = kindOf(bytes, { isWhole: true });
  if (kind.kind !== "text") return failure("no text");
  const text = new TextDecoder(kind.encoding).decode(bytes.subarray(kind.mark));
  return success(text.replace(/\r\n?/g, "\n"));
}

/** Why a file could not be read completely. */
export function whyUnread(tree: Tree, path: string): string {
  const size = tree.stat(path)?.size;
  if (size === undefined) return "it was just removed";
  return size > MOST_SOURCE_BYTES ? "longer than 1 MiB" : "cannot be read";
}
