/** Reads from the Accept header which answers a client accepts (H7); the SDK's transport knows only one form. */

/** One JSON body, or a stream of events. */
export type AnswerForm = "json" | "stream";

const STREAM = "text/event-stream";
const JSON_TYPE = "application/json";

/**
 * The form of the answer to a POST; undefined: the client takes neither (406). Without a header, or with one that takes
 * anything, it is JSON, the simpler; a client that names the stream gets it, so that progress arrives as it happens.
 *
 * @example `postForm("application/json, text/event-stream")` is `"stream"`
 */
export function postForm(accept: string | null): AnswerForm | undefined {
  if (accept === null || accept.trim() === "") return "json";
  const ranges = mediaRanges(accept);
  if (ranges.get(STREAM) === true) return "stream";
  const takesJson = ranges.get(JSON_TYPE) ?? ranges.get("application/*") ?? ranges.get("*/*");
  if (takesJson === true) return "json";
  return takesStream(accept) ? "stream" : undefined;
}

/** Whether the client takes a stream as the answer to a GET. */
export function takesStream(accept: string | null): boolean {
  if (accept === null || accept.trim() === "") return true;
  const ranges = mediaRanges(accept);
  return (ranges.get(STREAM) ?? ranges.get("text/*") ?? ranges.get("*/*")) === true;
}

/** Media ranges in lower case, and whether each is acceptable: not with a quality of 0 (RFC 9110, 12.5.1). */
function mediaRanges(accept: string): ReadonlyMap<string, boolean> {
  return new Map(
    accept.split(",").map((part) => {
      const [range = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
      const refused = parameters.some((parameter) => /^q\s*=\s*0(\.0{0,3})?$/.test(parameter));
      return [range, !refused];
    }),
  );
}
