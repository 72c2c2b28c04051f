/** Completes prompt arguments that name files or notes. A worker searches; the server opens nothing (C5). */
import { matching } from "../../service/prompts/prompt_source.ts";
import type { FindValues } from "../../service/prompts/prompt_file_source.ts";
import { member, parseJson } from "../../wire/json_value.ts";
import { COMPLETE_PATH } from "../definition/question.ts";
import type { WorkerLink } from "../link/worker_link.ts";
import { askWorker, listedNotes } from "./note_resources.ts";

/** File paths, issue names or memo titles that match `typed`; empty if the worker fails. */
export async function projectValues(
  worker: Pick<WorkerLink, "call">,
  { kind, typed }: Parameters<FindValues>[0],
  signal: AbortSignal,
): ReturnType<FindValues> {
  if (kind !== "path") {
    const notes = await listedNotes(worker, `${kind}s`, signal);
    return matching(notes.map(({ name, title }) => kind === "issue" ? name : title), typed);
  }
  const read = parseJson(await askWorker(worker, COMPLETE_PATH, { typed }, signal) ?? "");
  const found = read.ok ? read.value : undefined;
  const list = member(found, "values");
  const values = Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
  const total = Number(member(found, "total") ?? 0);
  return { values, total, hasMore: total > values.length };
}
