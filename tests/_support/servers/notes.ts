/** A server with tools for notes, and what tests check next to it. */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { type Asked as ClientOptions, connectClient } from "../clients/sdk_client.ts";
import { type Era, ServerProcess } from "../server_process.ts";
import type { Workbench } from "../workbench.ts";

export const FLAGS = ["--bundles", "issues,memos,todo,question"];

export interface Asked extends ClientOptions {
  /** Absent: 2025-11-25. */
  readonly era?: Era;
}

type Arguments = Readonly<Record<string, unknown>>;

export interface Side extends AsyncDisposable {
  readonly client: Client;
  /** The text of a call that succeeds. */
  say(tool: string, args?: Arguments): Promise<string>;
  /** The text of a call that fails. */
  refuse(tool: string, args?: Arguments): Promise<string>;
}

/** A server in the scope of the bench, and a client of it. */
export async function openSide(bench: Workbench, flags: readonly string[] = FLAGS, asked: Asked = {}): Promise<Side> {
  const server = await ServerProcess.start(bench, { era: "none", flags: ["--inline-wait", "60000", ...flags] });
  const client = await connectClient(server, asked.era ?? "2025-11-25", asked);
  const call = async (name: string, args: Arguments, fails: boolean) => {
    const { content, isError } = await client.callTool({ name, arguments: { ...args } });
    const text = content.map((part) => part.type === "text" ? part.text : part.type).join("\n");
    assert.equal(isError === true, fails, text);
    return text;
  };
  const [SUCCEEDS, FAILS] = [false, true];
  return {
    client,
    say: (tool, args = {}) => call(tool, args, SUCCEEDS),
    refuse: (tool, args = {}) => call(tool, args, FAILS),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export async function git(directory: string, ...words: readonly string[]): Promise<string> {
  const identity = [
    "-c",
    "user.name=t",
    "-c",
    "user.email=t@t",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "safe.directory=*",
  ];
  const { stdout, stderr } = await new Deno.Command("git", { args: [...identity, ...words], cwd: directory }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

export function textOf(path: string): string {
  return Deno.readTextFileSync(path);
}

export function names(bench: Workbench, directory: string): readonly string[] {
  return [...Deno.readDirSync(`${bench.scope}/${directory}`)].map(({ name }) => name).sort();
}
