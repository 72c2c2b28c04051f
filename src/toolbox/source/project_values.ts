/** Values for arguments of prompts that name something of the project: a worker looks, the server opens nothing (C5). */
import { matching } from "../../service/prompts/prompt_source.ts";
import type { FindValues } from "../../service/prompts/prompt_file_source.ts";
import { isObject, member, parseJson } from "../../wire/json_value.ts";
import { COMPLETE_PATH, LIST_NOTES } from "../definition/question.ts";
import type { WorkerLink } from "../link/worker_link.ts";
import { askWorker } from "./note_resources.ts";

/** Paths of files, names of issues, or titles of memos that fit `typed`; none where the worker cannot say. */
export async function projectValues(
  worker: Pick<WorkerLink, "call">,
  { kind, typed }: Parameters<FindValues>[0],
  signal: AbortSignal,
): ReturnType<FindValues> {
  const [tool, args] = kind === "path" ? [COMPLETE_PATH, { typed }] : [LIST_NOTES, { kind: `${kind}s` }];
  const read = parseJson(await askWorker(worker, tool, args, signal) ?? "");
  const found = read.ok ? read.value : undefined;
  if (kind === "path") {
    const values = textsOf(member(found, "values"));
    const total = Number(member(found, "total") ?? 0);
    return { values, total, hasMore: total > values.length };
  }
  const key = kind === "issue" ? "name" : "title";
  return matching(textsOf(Array.isArray(found) ? found.map((one) => isObject(one) ? one[key] : undefined) : []), typed);
}

function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}
