/**
 * The fastest other server with a real shell that was found: OpenAI's codex-shell-tool-mcp, a Rust program. Its package
 * has no sandbox for Linux, so it runs its commands without one.
 */
import type { CommandLine } from "../../client/command_line.ts";
import type { Programs } from "../programs.ts";
import { StdioClient } from "../stdio_client.ts";

const PACKAGE = "@openai/codex-shell-tool-mcp";
const VERSION = "0.97.0";

/** Installs it in a directory of the bench. @throws Error where npm cannot. */
export async function codexShell(programs: Programs): Promise<CommandLine> {
  const directory = programs.directory("../codex");
  const bin = `${directory}/node_modules/${PACKAGE}/bin/mcp-server.js`;
  const line = programs.line("node", [bin]);
  if (await exists(bin)) return line;
  const { success, stderr } = await new Deno.Command("npm", {
    args: ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", directory, `${PACKAGE}@${VERSION}`],
    cwd: directory,
    stdout: "null",
  }).output();
  if (!success) throw new Error(`Cannot install ${PACKAGE}: ${new TextDecoder().decode(stderr).slice(-300)}`);
  return line;
}

/** A client that knows how it is asked. */
export class CodexClient extends StdioClient {
  readonly #directory: string;

  constructor(line: CommandLine) {
    super(line);
    this.#directory = line.directory;
  }

  override async initialize(): Promise<void> {
    await super.initialize();
    const state = { sandboxPolicy: { type: "danger-full-access" }, codexLinuxSandboxExe: null };
    await this.request("codex/sandbox-state/update", { ...state, sandboxCwd: this.#directory });
  }

  override async shell(command: string, expected: string): Promise<void> {
    const { text } = await this.call("shell", { command, workdir: this.#directory, timeout_ms: 60_000, login: false });
    if (!text.includes(expected)) throw new Error(`Wrong answer to "${command}": ${text.slice(0, 200)}`);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
