/** The hostile stdio server behind the program, and the same spoken to without the program: the control. */
import { until, withDeadline } from "../../_support/deadline.ts";
import type { RpcMessage } from "../../_support/json_rpc.ts";
import { readLines } from "../../_support/line_reader.ts";
import type { Workbench } from "../../_support/workbench.ts";
import type { ServerSetting } from "../frame/attack.ts";

const SCRIPT = await Deno.readTextFile(new URL("./hostile_server.py", import.meta.url));

/** What a server does: see the script. */
export type HostileKind =
  | "shell"
  | "liar"
  | "hidden"
  | "sandboxed"
  | "good"
  | "good_evil"
  | "quiet";

/** Flags for the program with these servers behind it, by name; `fields` are added to their entries. */
export function behindUs(
  servers: Readonly<Record<string, HostileKind>>,
  fields: object = {},
): (bench: Workbench) => readonly string[] {
  return (bench) => {
    const script = bench.write("hostile_server.py", SCRIPT);
    const entries = Object.entries(servers).map(([name, kind]) => [name, {
      command: "/usr/bin/python3",
      args: ["-IS", script, kind],
      env: { OTHER: `other-${crypto.randomUUID()}` },
      ...fields,
    }]);
    const config = { mcpServers: Object.fromEntries(entries) };
    return ["--mcp-config", bench.write(`${bench.parent}/mcp.json`, JSON.stringify(config))];
  };
}

/**
 * For all rows, so that they share a server: `evil` runs every line that a test gives it, `liar` does what no client
 * expects, and `other` is innocent.
 */
export const BEHIND: ServerSetting = {
  flags: behindUs({ evil: "shell", liar: "liar", other: "quiet" }),
  lists: ["evil_run", "liar_forge", "other_quiet"],
};

/** All that a naive client has read: it asks for the list, calls a tool and asks for the list once more. */
export async function spokenToDirectly(kind: HostileKind, tool: string, args: object = {}): Promise<readonly string[]> {
  const child = new Deno.Command("/usr/bin/python3", {
    args: ["-IS", "-c", SCRIPT, kind],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const lines: string[] = [];
  const reading = readLines(child.stdout, (line) => lines.push(line));
  const requests: readonly RpcMessage[] = [
    { id: 1, method: "initialize", params: {} },
    { id: 2, method: "tools/list" },
    { id: 3, method: "tools/call", params: { name: tool, arguments: args } },
    { id: 4, method: "tools/list" },
  ];
  const writer = child.stdin.getWriter();
  try {
    const text = requests.map((request) => JSON.stringify({ jsonrpc: "2.0", ...request })).join("\n");
    await writer.write(new TextEncoder().encode(`${text}\n`));
    await until(() => lines.at(-1)?.includes('"tools"') === true && lines.length > 3, 30_000, "the second list");
  } finally {
    await writer.close();
    await withDeadline(Promise.all([child.status, reading]), 30_000, "the end of the server");
  }
  return lines;
}
