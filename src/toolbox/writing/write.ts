/** `files_write`: gives a file its whole content, or more of it. */
import { UserError } from "../../base/errors.ts";
import { decodeFile, encodeFile, type FileText, newUnits } from "../edit/file_text.ts";
import { dominantEnding, withEnding } from "../edit/line_endings.ts";
import { diffOf, type DiffPackage } from "../edit/unified_diff.ts";
import type { CallOf } from "../definition/groups.ts";
import type { ToolResult } from "../frame/messages.ts";
import type { Place } from "../../system/tree/tree.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { type Change, changeFile } from "./change_file.ts";
import { encoded, newFile, newForm } from "./new_content.ts";

/** See the definition of `files_write`. */
export async function writeFile(args: CallOf<"files_write">, context: ToolContext): Promise<ToolResult> {
  const { content: text, encoding, append = false, create_only: isNew = false } = args;
  const diff = await import("diff");
  return await changeFile(context, args, (content, place) => {
    if (content === undefined) return newFile(text, { encoding, isThere: false });
    if (isNew) {
      throw new UserError(`Cannot create "${place.shown}": it exists, and \`create_only\` is given`);
    }
    const old = decodeFile(content, encoding);
    if (append && !old.ok) throw new UserError(`Cannot append to "${place.shown}": ${old.problem}`);
    if (!old.ok) return { content: encoded(text, newForm(encoding)), summary: "replaced binary content", diff: "" };
    return changed(old.value, append ? appended(old.value, text, place) : encoded(text, old.value), diff);
  });
}

function changed(old: FileText, content: Uint8Array<ArrayBuffer>, diff: DiffPackage): Change {
  const next = decodeFile(content, old.encoding);
  const units = next.ok ? next.value.units : "";
  const { text, added, removed } = diffOf(old.units, units, old.encoding, diff);
  const summary = old.units === units ? "unchanged" : `written (+${added} -${removed})`;
  return { content, summary, diff: text };
}

/** With the line endings of the file. */
function appended(old: FileText, text: string, { shown }: Place): Uint8Array<ArrayBuffer> {
  const units = newUnits(withEnding(text, dominantEnding(old.units)), old);
  if (!units.ok) throw new UserError(`Cannot append to "${shown}", nothing is changed: ${units.problem}`);
  return encodeFile(old, old.units + units.value);
}
