/** `files_edit`: replaces texts of a file. */
import { counted } from "../../base/text.ts";
import { UserError } from "../../base/errors.ts";
import type { Encoding } from "../definition/files_writing.ts";
import { applyEdits, type Edit, type EditedText } from "../edit/apply_edits.ts";
import { decodeFile, encodeChanged, type FileText } from "../edit/file_text.ts";
import { type DiffPackage, unifiedDiff } from "../edit/unified_diff.ts";
import type { CallOf } from "../definition/groups.ts";
import type { ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { nearNames } from "../project/near_names.ts";
import type { Place } from "../../system/tree/tree.ts";
import { realPath } from "../../system/paths.ts";
import { type Change, changeFile } from "./change_file.ts";
import { newFile } from "./new_content.ts";

type EditArguments = CallOf<"files_edit">;
type GivenEdit = NonNullable<EditArguments["edits"]>[number];

/** See the definition of `files_edit`. */
export async function editFile(args: EditArguments, context: ToolContext): Promise<ToolResult> {
  const { path, encoding } = args;
  const { project } = context;
  const edits = editsOf(args);
  const diff = await import("diff");
  const { path: real } = await project.resolve(path, "write");
  const near = realPath(real) === undefined ? await nearNames(real) : "";
  return await changeFile(context, args, (content, place) => {
    const [first] = edits;
    if (edits.length === 1 && first?.oldText === "" && (content?.length ?? 0) === 0) {
      return newFile(first.newText, { encoding, isThere: content !== undefined });
    }
    if (content === undefined) throw new UserError(`Cannot find "${path}" in "${project.directory}"${near}`);
    return edited(content, { place, edits, encoding, diff });
  });
}

interface EditRequest {
  readonly place: Place;
  readonly edits: readonly Edit[];
  readonly encoding: Encoding | undefined;
  readonly diff: DiffPackage;
}

function edited(content: Uint8Array<ArrayBuffer>, { place, edits, encoding, diff }: EditRequest): Change {
  const file = decodeFile(content, encoding);
  if (!file.ok) throw new UserError(`Cannot edit "${place.shown}": ${file.problem}`);
  const applied = applyEdits(file.value, edits);
  if (!applied.ok) throw new UserError(`Cannot edit "${place.shown}", nothing is changed: ${applied.problem}`);
  return editedChange({ content, file: file.value }, applied.value, { noun: "replacement", diff });
}

/** Builds a change from an edited text; `noun` names one replacement. */
export function editedChange(
  { content, file }: { readonly content: Uint8Array; readonly file: FileText },
  edited: EditedText,
  { noun, diff }: { readonly noun: string; readonly diff: DiffPackage },
): Change {
  const { units, regions, replacements, rungs } = edited;
  const { text, added, removed } = unifiedDiff(
    { old: file.units, next: units, regions, encoding: file.encoding },
    diff,
  );
  const matched = rungs.length === 0 ? "" : `, matched but for ${rungs.join(" and ")}`;
  return {
    content: encodeChanged(content, file, edited),
    summary: `${counted(replacements, noun)} (+${added} -${removed})${matched}`,
    diff: text,
  };
}

function editsOf(args: EditArguments): readonly Edit[] {
  const { edits, old_string, new_string } = args;
  if (edits === undefined) {
    if (old_string !== undefined && new_string !== undefined) return [editOf({ ...args, old_string, new_string })];
    throw new UserError("Cannot edit: give `old_string` and `new_string`, or `edits`");
  }
  const names = ["old_string", "new_string", "replace_all", "occurrence"] as const;
  const misplaced = names.find((name) => args[name] !== undefined);
  if (misplaced !== undefined) throw new UserError(`Cannot edit: \`${misplaced}\` belongs in an item of \`edits\``);
  if (edits.length === 0) throw new UserError("Cannot edit: `edits` is empty");
  return edits.map(editOf);
}

function editOf({ old_string: oldText, new_string: newText, replace_all: all = false, occurrence }: GivenEdit): Edit {
  return { oldText, newText, all, occurrence };
}
