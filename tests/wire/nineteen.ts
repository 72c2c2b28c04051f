/** The nineteen faults that servers of this protocol commonly have (C3), and that each is tested on the wire. */
import assert from "node:assert/strict";

type Way = "stdio" | "HTTP";

const BOTH: readonly Way[] = ["stdio", "HTTP"];

/** In the order of the list the requirement names, and where each can be committed. */
const FAULTS: readonly (readonly [what: string, ways: readonly Way[]])[] = [
  ["no check of Host and Origin", ["HTTP"]],
  ["anything but messages on stdout", BOTH],
  ["progress without a token, not rising, or after the response", BOTH],
  ["a protocol error for a tool that fails, or a result for a tool that does not exist", BOTH],
  ["an answer to a cancelled request", BOTH],
  ["requests served, or sent, before the handshake", BOTH],
  ["400 and 404 mixed up for sessions", ["HTTP"]],
  ["one notification on several streams", ["HTTP"]],
  ["no end at the end of stdin, orphaned grandchildren", BOTH],
  ["session ids that can be guessed", ["HTTP"]],
  ["any MCP-Protocol-Version taken", BOTH],
  ["an error for an unknown version in initialize", BOTH],
  ["input schemas that clients refuse", BOTH],
  ["ids 0 or of text lost on the way", BOTH],
  ["a closed connection taken for a cancel in a session", ["HTTP"]],
  ["storms of list_changed", BOTH],
  ["roots/list without the capability", BOTH],
  ["ids of two clients that collide", ["HTTP"]],
  ["a response to a notification, or no 202", BOTH],
];

async function* sources(directory: URL): AsyncGenerator<URL> {
  for await (const { name, isFile, isDirectory } of Deno.readDir(directory)) {
    if (isDirectory) yield* sources(new URL(`${name}/`, directory));
    if (isFile && name.endsWith(".ts")) yield new URL(name, directory);
  }
}

/** The numbers and ways that tests name: `C3 fault 6: ..., over stdio`; `${way}` of wires.ts stands for both. */
async function namedFaults(): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for await (const file of sources(new URL("../", import.meta.url))) {
    const text = await Deno.readTextFile(file);
    const names = text.matchAll(/\btest\w*\(\s*[^\n]*C3 fault (\d+): [^\n]*, over (stdio|HTTP|\$\{way\})/g);
    for (const [, number, way = ""] of names) {
      for (const one of BOTH.filter((one) => way === one || way.startsWith("$"))) named.add(`${number} ${one}`);
    }
  }
  return named;
}

Deno.test("C3 each of the nineteen faults is tested on the wire, on each way it can be committed", async () => {
  assert.strictEqual(FAULTS.length, 19);
  const wanted = FAULTS.flatMap(([, ways], index) => ways.map((way) => `${index + 1} ${way}`));
  const named = await namedFaults();
  assert.deepStrictEqual(wanted.filter((one) => !named.has(one)), [], "no test names these");
  assert.deepStrictEqual([...named].filter((one) => !wanted.includes(one)), [], "no such fault");
});
