/** A server used by a foreign program: the official SDK's client on its own transport, without code of ours. */
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { programStart } from "../program.ts";
import type { Workbench } from "../workbench.ts";

/** Options for such tests: the SDK's transport leaves timers of two seconds behind when it is closed. */
export const LEAVES_TIMERS = { sanitizeOps: false, sanitizeResources: false } as const;

export type Arguments = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly lines: readonly string[];
  /** Of the second part: an image. */
  readonly data: string | undefined;
  readonly isError: boolean;
}

/** A server of the ordinary user in the scope of a bench, and its client. */
export class Side implements AsyncDisposable {
  readonly client: Client = new Client({ name: "foreign", version: "1" });

  static async open(
    bench: Workbench,
    flags: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<Side> {
    const variables = Object.entries(more).map(([name, value]) => `${name}=${value}`);
    const start = programStart(bench, ["--inline-wait", "60000", ...flags], ["/usr/bin/env", ...variables]);
    const { command, args, environment } = start;
    const side = new Side();
    await side.client.connect(
      new StdioClientTransport({
        command,
        args: [...args],
        cwd: bench.scope,
        env: { ...environment },
        stderr: "ignore",
      }),
    );
    return side;
  }

  async call(name: string, args: Arguments = {}): Promise<Answer> {
    const { content, isError } = await this.client.callTool({ name, arguments: args });
    const [first, second] = content as readonly { readonly text?: string; readonly data?: string }[];
    return { lines: (first?.text ?? "").split("\n"), data: second?.data, isError: isError === true };
  }

  /** The lines of a call that succeeds. */
  async say(name: string, args: Arguments = {}): Promise<readonly string[]> {
    const { lines, isError } = await this.call(name, args);
    assert.ok(!isError, lines.join("\n"));
    return lines;
  }

  /** The text of a call that fails. */
  async refuse(name: string, args: Arguments = {}): Promise<string> {
    const { lines, isError } = await this.call(name, args);
    assert.ok(isError, lines.join("\n"));
    return lines.join("\n");
  }

  /** The text of a prompt. */
  async prompt(name: string, args?: Readonly<Record<string, string>>): Promise<string> {
    const { messages: [message] } = await this.client.getPrompt({ name, ...args && { arguments: { ...args } } });
    return message?.content.type === "text" ? message.content.text : "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
