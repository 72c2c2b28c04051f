import type { Completion } from "../../service/prompts/prompt_source.ts";
import { visibleText } from "../../base/visible_text.ts";
import { member } from "../../wire/json_value.ts";

/** The values of a server's answer to `completion/complete`; values that are not text are dropped. */
export function completionOf(result: unknown): Completion {
  const completion = member(result, "completion");
  const [values, total, hasMore] = ["values", "total", "hasMore"].map((key) => member(completion, key));
  const texts = (Array.isArray(values) ? values : []).filter((value) => typeof value === "string");
  return {
    values: texts.map(visibleText),
    ...typeof total === "number" && { total },
    ...typeof hasMore === "boolean" && { hasMore },
  };
}
