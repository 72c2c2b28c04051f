/** The content of a new file, in the form that a call asks for. */
import { counted } from "../../base/text.ts";
import { UserError } from "../../base/errors.ts";
import type { Encoding } from "../definition/files_writing.ts";
import { encodeFile, PLAIN, type TextForm, textUnits } from "../edit/file_text.ts";
import type { Change } from "./change_file.ts";

/** The change that fills a missing or empty file. */
export function newFile(
  text: string,
  { encoding, isThere }: { readonly encoding: Encoding | undefined; readonly isThere: boolean },
): Change {
  const content = encoded(text, newForm(encoding));
  const lines = text.split("\n").length - (text.endsWith("\n") || text === "" ? 1 : 0);
  const what = isThere ? "filled" : "created";
  return { content, summary: `${what} with ${counted(lines, "line")}, ${counted(content.length, "byte")}`, diff: "" };
}

/** The form of a new file; UTF-16 begins with a byte order mark. */
export function newForm(encoding: Encoding | undefined): TextForm {
  if (encoding === undefined) return PLAIN;
  return { encoding, mark: encoding.startsWith("utf-16") };
}

/** Encodes a text, with one byte order mark at most. @throws {UserError} For a character that the encoding lacks. */
export function encoded(text: string, form: TextForm): Uint8Array<ArrayBuffer> {
  const units = textUnits(form.mark ? text.replace(/^\ufeff/, "") : text, form.encoding);
  if (!units.ok) throw new UserError(`Cannot write: ${units.problem}`);
  return encodeFile(form, units.value);
}
