import { strict as assert } from "node:assert";
import { SILENT } from "../../base/log.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import type { Link } from "../link/link.ts";
import { learnedFrom } from "./known_definitions.ts";

/** A server that answers so to each list. */
function serving(lists: Readonly<Record<string, Answer>>): Pick<Link, "hello" | "request"> {
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  return {
    hello: { protocolVersion: "2025-11-25", capabilities, instructions: undefined, server: undefined },
    request: ({ method, signal }) => {
      const cancelled: Answer = { error: { code: -32000, message: "cancelled" } };
      return Promise.resolve(signal?.aborted === true ? cancelled : lists[method] ?? { result: {} });
    },
  };
}

async function learn(lists: Readonly<Record<string, Answer>>, signal = new AbortController().signal) {
  // Of a link, only these two are asked.
  const link = serving(lists) as Link;
  return await learnedFrom(link, { before: undefined, signal, log: SILENT });
}

function described(megabytes: number): object {
  return { name: "a", description: "x".repeat(megabytes * 1024 * 1024) };
}

Deno.test("O6 what a server offers is no more than a record holds, of each kind and of all together", async () => {
  await assert.rejects(learn({ "tools/list": { result: { tools: [described(5)] } } }), {
    message: "Its answer to tools/list has more than 4 MiB: filter it at the server",
  });
  const title = "x".repeat(4_000);
  const both = {
    "tools/list": { result: { tools: [described(3)] } },
    "prompts/list": {
      result: {
        prompts: Array.from({ length: 250 }, (_, number) => ({ name: `p${number}`, title, description: title })),
      },
    },
  };
  await assert.rejects(learn(both), { message: "What it offers has more than 4 MiB: filter it at the server" });
});

Deno.test("O2 X14 a server is asked for the rest when one list is refused, and no more at the end of the program", async () => {
  const refused: Answer = { error: { code: -32601, message: "unknown" } };
  const lists = { "tools/list": { result: { tools: [{ name: "a" }] } }, "prompts/list": refused };
  assert.deepStrictEqual(await learn(lists), [{ name: "a" }]);
  await assert.rejects(learn(lists, AbortSignal.abort()), { message: "It refuses to list its tools: cancelled" });
});
