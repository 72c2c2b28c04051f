/** `files_read`: a file with line numbers. */
import type { ToolArguments, ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";

const DEFAULT_LINES = 2000;

/** See the definition of `files_read`. */
export async function readFile(args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  using opened = await project.open(String(args["path"]));
  const bytes = new Uint8Array(Number(opened.stat.size));
  let length = 0;
  for (let got = 1; got > 0 && length < bytes.length; length += got) {
    got = opened.readAt(bytes.subarray(length), length);
  }
  const lines = new TextDecoder().decode(bytes.subarray(0, length)).split("\n");
  const offset = Number(args["offset"] ?? 1);
  const shown = lines.slice(offset - 1, offset - 1 + Number(args["limit"] ?? DEFAULT_LINES));
  return { content: [{ type: "text", text: shown.map((line, at) => `${offset + at}\t${line}`).join("\n") }] };
}
