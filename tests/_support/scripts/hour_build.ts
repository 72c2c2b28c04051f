/** A build of an hour, its time compressed by a command that prints in bursts, and what is said of it at its end. */
import assert from "node:assert/strict";
import type { ServerProcess } from "../server_process.ts";

/** Parts of five minutes each. */
const PARTS = 12;
const LINES = 1_000;

/** A part is a tenth of a second long. */
export const BUILD = `for m in $(seq 1 ${PARTS}); do seq -f "[$m] compiled unit %g" 1 ${LINES}; sleep 0.1; done; ` +
  "echo warning: one unit is large; echo BUILD DONE";

/** What it prints. */
export const EVERYTHING = Array.from({ length: PARTS }, (_, part) => {
  return Array.from({ length: LINES }, (_, unit) => `[${part + 1}] compiled unit ${unit + 1}\n`).join("");
}).join("") + "warning: one unit is large\nBUILD DONE\n";

/** What a result shows of it: the facts, both ends of the output, what is missing and the call that reads that. */
export function checkResult(text: string): string {
  const lines = text.trimEnd().split("\n");
  const [, id = ""] = /^\[(op_\w+) completed, exit code 0, [\d.]+ s\]/.exec(lines[0] ?? "") ?? [];
  assert.deepStrictEqual([lines[1], lines.at(-1)], ["[1] compiled unit 1", "BUILD DONE"]);
  const call = `status \\{"operation_id":"${id}","lines":"\\d+-\\d+"\\}`;
  assert.match(text, new RegExp(`\\n\\.\\.\\. \\d+ lines \\(\\d+ bytes\\) left out; ${call} reads them \\.\\.\\.\\n`));
  return id;
}

/** All of the output, page by page. */
export async function readWhole(server: ServerProcess, id: string): Promise<string> {
  const texts: string[] = [];
  let uri: string | undefined = `ahma://operations/${id}/output?limit=100000`;
  while (uri !== undefined) {
    const { result } = await server.request("resources/read", { uri });
    const [part] = result?.contents as readonly { text: string; _meta: Record<string, { readonly next?: string }> }[];
    texts.push(part?.text ?? "");
    uri = part?._meta["ahma/output"]?.next;
  }
  return texts.join("");
}
