/** Any other server that speaks MCP over stdio, next to ours: the bench calls one tool of it by name. */
import type { CommandLine } from "../../client/command_line.ts";
import type { Programs } from "../programs.ts";
import { StdioClient } from "../stdio_client.ts";

/** What every call of a bench is: a shell prints this. */
const PRINTED = "hi";

/** Another server, as the flags of the bench name it. */
export interface Beside {
  /** In the tables: its command line. */
  readonly name: string;
  readonly words: readonly string[];
  readonly tool: string;
  readonly args: object;
}

/** The call of servers that have our own tool, as the Rust program of the same name has. */
const USUAL_CALL = {
  name: "sandboxed_shell",
  arguments: { command: `echo ${PRINTED}`, execution_mode: "Synchronous" },
};

/**
 * `lines`: command lines, their words apart by blanks. `call`: `name` and `arguments` as JSON; undefined: our own tool.
 * @throws {RangeError} For a call of another form.
 */
export function readBeside(lines: readonly string[], call: string | undefined): readonly Beside[] {
  const { name: tool, arguments: args } = call === undefined ? USUAL_CALL : callOf(call);
  return lines.map((line) => ({ name: line, words: line.split(" ").filter((word) => word !== ""), tool, args }));
}

function callOf(text: string): { readonly name: string; readonly arguments: object } {
  const { name, arguments: args = {} } = Object(JSON.parse(text));
  if (typeof name !== "string" || typeof args !== "object" || args === null) {
    throw new RangeError(`Cannot use --beside-call '${text}': give JSON with "name" and "arguments" of a tool`);
  }
  return { name, arguments: args };
}

/** Its command line in the clean environment of the bench. */
export function besideLine(programs: Pick<Programs, "line">, { words: [command = "", ...args] }: Beside): CommandLine {
  return programs.line(command, args);
}

/** Calls its tool, whatever line a bench asks for: that tool's arguments print the same. */
export class BesideClient extends StdioClient {
  readonly #beside: Beside;

  constructor(line: CommandLine, beside: Beside) {
    super(line);
    this.#beside = beside;
  }

  override async shell(): Promise<void> {
    const { tool, args } = this.#beside;
    const { text } = await this.call(tool, args);
    if (!text.includes(PRINTED)) throw new Error(`Wrong answer of "${tool}": ${text.slice(0, 200)}`);
  }
}
