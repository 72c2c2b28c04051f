import { encodeText } from "../../../base/text.ts";
import { describeDiagnostic } from "../../../catalog/format/diagnostic.ts";
import { ToolList } from "../../../service/connection/tool_list.ts";
import { compose, type ComposeOptions } from "../../../app/compose_service.ts";
import type { Check } from "./check.ts";

/** Some clients list no more tools, and every request of an agent carries all of them. */
const MANY_TOOLS = 100;

/** The cost of `tools/list`. */
function listing(tools: number, bytes: number): Check {
  const [id, title, message] = ["tools_list", "tools/list", `${tools} tools, ${bytes} bytes`];
  if (tools <= MANY_TOOLS) return { id, title, status: "ok", message };
  return { id, title, status: "warning", message: `${message}: --tool-style program or fewer --bundles list less` };
}

/** Checks of the tool files: served, left out with the reason, missing programs (requirement L6). */
export async function checkTools(options: ComposeOptions): Promise<readonly Check[]> {
  await using program = await compose(options);
  const catalog = await program.checkedTools();
  const files = new Set(catalog.tools.map(({ file }) => file));
  const leaves = catalog.leaves.length;
  const loaded: Check = files.size === 0
    ? {
      id: "tools",
      title: "tool files",
      status: "warning",
      message: 'none: "ahma_mcp init" writes a first one, --bundles offers the shipped ones',
    }
    : { id: "tools", title: "tool files", status: "ok", message: `${files.size} with ${leaves} tools` };
  const listed = await new ToolList(program.service).all();
  return [
    loaded,
    listing(listed.length, encodeText(JSON.stringify({ tools: listed })).length),
    ...catalog.diagnostics.map((diagnostic): Check => ({
      id: "tool_file",
      title: diagnostic.severity === "error" ? "tool file left out" : "tool file",
      // The server starts without the file.
      status: "warning",
      message: describeDiagnostic(diagnostic),
    })),
    ...(catalog.unavailable ?? []).map(({ names, reason, installInstructions }): Check => ({
      id: "tool_unavailable",
      title: "not available",
      status: "warning",
      message: `${names.join(", ")}: ${reason}${installInstructions === "" ? "" : `. ${installInstructions}`}`,
    })),
  ];
}
