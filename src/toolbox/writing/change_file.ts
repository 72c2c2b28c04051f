/** Reads a file, computes its new content and stores it; retries if another program was faster. */
import { UserError } from "../../base/errors.ts";
import { decodeFile } from "../edit/file_text.ts";
import type { CallOf } from "../definition/groups.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import type { Place } from "../../system/tree/tree.ts";
import type { Project } from "../project/project.ts";
import { revOf } from "../project/seen_contents.ts";
import { openTarget, storeContent, type Stored, type Target } from "./target.ts";
import { diffOf } from "../edit/unified_diff.ts";

/** The arguments of a call about a file. */
type ChangeArguments = Pick<CallOf<"files_write">, "path" | "expected_rev" | "dry_run">;

/** The new content of a file, and its line in the answer. */
export interface Change {
  readonly content: Uint8Array<ArrayBuffer>;
  /** The first line names the change, its counts included; the rest is its diff. */
  readonly summary: string;
  readonly diff: string;
}

/** The change of a file; undefined: there is none. @throws {UserError} When it cannot be made. */
export type ComputeChange = (content: Uint8Array<ArrayBuffer> | undefined, place: Place) => Change;

const MOST_TRIES = 1000;

/** Makes the change. @throws {UserError} When it fails; nothing is changed then. */
export async function changeFile(
  { project, signal }: Pick<ToolContext, "project" | "signal">,
  { path, expected_rev: expectedRev, dry_run: dryRun = false }: ChangeArguments,
  compute: ComputeChange,
): Promise<ToolResult> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    using target = await openTarget(project, path, signal);
    await insistOnRev(project, target, expectedRev);
    const change = compute(target.current?.content, target.place);
    if (dryRun) return await changeResult(target.place, change, undefined);
    const stored = storeContent(target, change.content);
    if (stored.kind === "stored") {
      project.seen.keep(await revOf(change.content), change.content);
      return await changeResult(target.place, change, stored);
    }
  }
  throw new UserError(`Cannot change "${path}": other programs keep changing it`);
}

/** @throws {UserError} When the content differs from the caller's `rev`, with the change if it is known. */
async function insistOnRev(
  { seen }: Pick<Project, "seen">,
  { place: { shown }, current }: Pick<Target, "place" | "current">,
  expectedRev: string | undefined,
): Promise<void> {
  if (expectedRev === undefined) return;
  const content = current?.content;
  const rev = content === undefined ? undefined : await revOf(content);
  if (rev === expectedRev) return;
  const known = seen.of(expectedRev);
  const since = known === undefined || content === undefined ? "" : await changesSince(known, content);
  const is = rev === undefined ? "it does not exist" : `its rev is ${rev} now`;
  throw new UserError(
    `Cannot change "${shown}": ${is}, \`expected_rev\` is ${expectedRev}; ${since || "read it again"}`,
  );
}

async function changesSince(known: Uint8Array<ArrayBuffer>, content: Uint8Array<ArrayBuffer>): Promise<string> {
  const [old, next] = [decodeFile(known), decodeFile(content)];
  if (!old.ok || !next.ok || old.value.encoding !== next.value.encoding) return "";
  const { text } = diffOf(old.value.units, next.value.units, next.value.encoding, await import("diff"));
  return `what changed since then:\n${text}`;
}

/** One line, and the diff. `stored` undefined: nothing was written. */
export async function changeText(
  { shown }: Place,
  { content, summary, diff }: Change,
  stored: Extract<Stored, { kind: "stored" }> | undefined,
): Promise<string> {
  const dry = stored === undefined ? "Dry run, nothing is written: " : "";
  const inPlace = stored?.inPlace === undefined ? "" : `, rewritten in place because ${stored.inPlace}`;
  const readOnly = stored?.wasReadOnly === true ? ", although it is read-only" : "";
  const line = `${dry}${shown}: ${summary}, rev ${await revOf(content)}${inPlace}${readOnly}`;
  return diff === "" ? line : `${line}\n${diff}`;
}

async function changeResult(...words: Parameters<typeof changeText>): Promise<ToolResult> {
  return textResult(await changeText(...words));
}
