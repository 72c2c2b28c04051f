import { strict as assert } from "node:assert";
import type { Prompt } from "@modelcontextprotocol/server";
import { Emitter } from "../../base/emitter.ts";
import { SILENT } from "../../base/log.ts";
import { failure, success } from "../../base/outcome.ts";
import { connectClient, makeService, REVISIONS, textsOf } from "../_support/connection.ts";
import type { PromptSource } from "./prompt_source.ts";

/** A source whose prompts say where they come from and what they were given; "broken" is refused. */
function source(
  origin: string,
  names: readonly string[],
  rest: Pick<PromptSource, "onChange" | "status"> = {},
): PromptSource {
  const prompts: readonly Prompt[] = names.map((name) => ({ name, description: origin }));
  const answer = <Value>(name: string, value: Value) => {
    if (!names.includes(name)) return Promise.resolve(failure({ kind: "unknown", known: names } as const));
    if (name === "broken") return Promise.resolve(failure({ kind: "refused", message: `"broken" is broken` } as const));
    return Promise.resolve(success(value));
  };
  return {
    list: () => Promise.resolve(prompts),
    get: ({ name, args }) =>
      answer(name, {
        messages: [{ role: "user", content: { type: "text", text: `${origin} ${name} ${JSON.stringify(args)}` } }],
      }),
    complete: ({ name, argument, typed, args }) =>
      answer(name, { values: Array.from({ length: 101 }, (_, index) => `${argument}${typed}${args["of"]}${index}`) }),
    ...rest,
  };
}

for (const revision of REVISIONS) {
  Deno.test(`Q2 C5 ${revision}: prompts of several sources are one list, and the first source that has a name answers`, async () => {
    const warned: unknown[] = [];
    const log = { ...SILENT, warn: (message: string, fields?: object) => void warned.push([message, fields]) };
    const prompts = [source("one", ["plan", "broken"]), source("two", ["plan", "fix"])];
    await using connected = await connectClient(makeService({ rest: { prompts, log } }), revision);
    const { client } = connected;
    for (let asked = 0; asked < 2; asked++) {
      assert.deepStrictEqual((await client.listPrompts()).prompts, [
        { name: "plan", description: "one" },
        { name: "broken", description: "one" },
        { name: "fix", description: "two" },
      ]);
    }
    assert.deepStrictEqual(warned, [["Prompt left out: another source has its name", { name: "plan" }]]);
    const get = async (name: string, args?: Record<string, string>) => {
      const { messages } = await client.getPrompt({ name, ...args !== undefined && { arguments: args } });
      return textsOf({ content: messages.map(({ content }) => content) });
    };
    assert.deepStrictEqual(await get("plan"), ["one plan {}"]);
    assert.deepStrictEqual(await get("fix", { of: "it" }), ['two fix {"of":"it"}']);
    await assert.rejects(get("broken"), { code: -32602, message: '"broken" is broken' });
    await assert.rejects(get("plam"), { code: -32602, message: 'Unknown prompt "plam"; did you mean "plan"?' });
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "fix" },
      argument: { name: "file", value: "a" },
      context: { arguments: { of: "b" } },
    });
    assert.deepStrictEqual(completion, {
      values: Array.from({ length: 100 }, (_, index) => `fileab${index}`),
      hasMore: true,
    });
    await assert.rejects(
      client.complete({ ref: { type: "ref/prompt", name: "zzz" }, argument: { name: "file", value: "" } }),
      { code: -32602, message: 'Unknown prompt "zzz"; `prompts/list` names all prompts' },
    );
  });

  Deno.test(`Q2 ${revision}: a long list comes in pages; a cursor that names no prompt is refused`, async () => {
    const names = Array.from({ length: 250 }, (_, index) => `p${index}`);
    await using connected = await connectClient(makeService({ rest: { prompts: [source("one", names)] } }), revision);
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await connected.client.request({
        method: "prompts/list",
        params: cursor === undefined ? {} : { cursor },
      }) as { readonly prompts: readonly Prompt[]; readonly nextCursor?: string };
      pages.push(page.prompts.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    assert.deepStrictEqual([pages.map(({ length }) => length), pages.flat()], [[100, 100, 50], names]);
    await assert.rejects(connected.client.request({ method: "prompts/list", params: { cursor: "gone" } }), {
      code: -32602,
      message: 'Invalid cursor "gone": the list may have changed; request it without a cursor',
    });
  });

  Deno.test(`Q2 ${revision}: the capability stands only where there is a source, and tells whether its list can change`, async () => {
    const capability = async (prompts: readonly PromptSource[]) => {
      await using connected = await connectClient(makeService({ rest: { prompts } }), revision);
      return connected.client.getServerCapabilities()?.prompts;
    };
    assert.deepStrictEqual(await capability([]), undefined);
    assert.deepStrictEqual(await capability([source("one", [])]), {});
    assert.deepStrictEqual(await capability([source("one", [], { onChange: () => () => {} })]), { listChanged: true });
    await using without = await connectClient(makeService(), revision);
    await assert.rejects(without.client.request({ method: "prompts/list" }), { code: -32601 });
  });
}

Deno.test("Q3 C5 a change of any source is told by one list_changed, and status shows the lines of the sources", async () => {
  const changes = new Emitter<undefined>((thrown) => assert.fail(String(thrown)));
  const changing = source("two", [], {
    onChange: (listener) => changes.subscribe(listener),
    status: () => Promise.resolve(["Prompts: fine"]),
  });
  await using connected = await connectClient(makeService({ rest: { prompts: [source("one", []), changing] } }));
  let heard = 0;
  connected.client.setNotificationHandler("notifications/prompts/list_changed", () => void heard++);
  changes.emit(undefined);
  const [status] = textsOf(await connected.client.callTool({ name: "status" }));
  assert.deepStrictEqual([heard, status?.split("\n").filter((line) => line.startsWith("Prompts"))], [1, [
    "Prompts: fine",
  ]]);
});
