/** The command line of the reference client by the protocol's authors. */
import type { Workbench } from "../workbench.ts";

/** It runs under Deno: its engines ask for a newer Node than many have. */
const INSPECTOR = [
  "run",
  "--allow-all",
  "--no-config",
  "--quiet",
  "npm:@modelcontextprotocol/inspector@2.12.0/mcp-inspector",
];

/** The outcome of one run; the inspector ends with 5 after a tool error. */
export interface Inspection {
  readonly code: number;
  /** Its answer as JSON, then its stderr. */
  readonly text: string;
}

/** Runs it once; `words` name a server, an era and a method. */
export async function inspect(bench: Workbench, words: readonly string[]): Promise<Inspection> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...INSPECTOR, "--cli", ...words, "--format", "json", "-q"],
    cwd: bench.scope,
    env: { MCP_STORAGE_DIR: `${bench.parent}/inspector`, NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** The words of a synchronous call of `sandboxed_shell`. */
export function shell(command: string, timeout_seconds = 60): readonly string[] {
  const args = JSON.stringify({ command, timeout_seconds, execution_mode: "Synchronous" });
  return ["--method", "tools/call", "--tool-name", "sandboxed_shell", "--tool-args-json", args];
}
