/** Requests and their answers, the same over stdio and HTTP. */
import assert from "node:assert/strict";
import { BOTH_WAYS, ERAS, NEWEST, shellArguments } from "./wires.ts";

for (const { way, tests } of BOTH_WAYS) {
  for (const era of ERAS) {
    const test = tests[era];

    test(`C2 malformed JSON is -32700 and the server lives on in ${era}, over ${way}`, async (_, wire) => {
      const { error, id } = await wire.exchange("{ this is not JSON");
      assert.deepStrictEqual([error?.code, id ?? null], [-32700, null]);
      assert.notEqual((await wire.request("tools/list")).result, undefined);
    });

    test(`C2 an unknown method is -32601 in ${era}, over ${way}`, async (_, wire) => {
      assert.equal((await wire.request("no/such/method")).error?.code, -32601);
    });

    test(`C3 fault 14: ids 0, of text and alike are answered as they are in ${era}, over ${way}`, async (_, wire) => {
      const ids = [0, "0", 1, "1", -5, "x", "", 'a"b\u2028', 9_007_199_254_740_991];
      const answers = await Promise.all(ids.map((id) => wire.request("tools/list", {}, id)));
      assert.deepStrictEqual(answers.map(({ id, result }) => [id, Array.isArray(result?.tools)]), [
        ...ids.map((id) => [id, true]),
      ]);
    });

    test(
      `X4 C3 fault 4: a tool that fails is a result, one that is called wrongly a result with isError, one that is none -32602, in ${era}, over ${way}`,
      async (_, wire) => {
        const fails = await wire.shell("echo why; exit 3", { timeout_seconds: 20 });
        assert.deepStrictEqual([fails.isError, fails.failed, /^why$/m.test(fails.text)], [false, true, true]);
        const wrong = [
          {},
          { command: 7 },
          { command: "true", none: 1 },
          { command: "true", working_directory: "/" },
          { command: "sleep 9", timeout_seconds: 0.1 },
        ];
        for (const args of wrong) assert.ok((await wire.call("sandboxed_shell", args)).isError, JSON.stringify(args));
        assert.ok(!(await wire.shell("true")).failed, "the control");
        const { error } = await wire.request("tools/call", { name: "sandboxed_shel", arguments: {} });
        assert.deepStrictEqual([error?.code, /sandboxed_shel/.test(error?.message ?? "")], [-32602, true]);
      },
    );
  }

  const testLegacy = tests["2025-11-25"];

  testLegacy(`C3 ping is answered with an empty result, over ${way}`, async (_, wire) => {
    assert.deepStrictEqual((await wire.request("ping")).result, {});
  });

  testLegacy(
    `X6 H7 C3 fault 3: progress comes while it runs, rises, carries the caller's token, and stops with the response, over ${way}`,
    async (bench, wire) => {
      const command = "for i in 1 2 3; do echo line $i; until [ -e heard-$i ]; do sleep 0.02; done; done; echo end";
      const params = { name: "sandboxed_shell", arguments: shellArguments(command), _meta: { progressToken: "tok" } };
      const notes: unknown[] = [];
      const answer = await wire.follow({ jsonrpc: "2.0", id: "call", method: "tools/call", params }, (message) => {
        // The command waits for each of these files: what came so far came while it ran.
        if (message.method === "notifications/progress") bench.write(`heard-${notes.push(message.params)}`, "");
      });
      assert.match(JSON.stringify(answer.result?.content), /line 1\\nline 2\\nline 3\\nend/);
      // The server's own messages, which are then compared field by field.
      const seen = notes as readonly { readonly progress: number; readonly message: string; progressToken: string }[];
      assert.ok(seen.length >= 3, `one or more for each line: ${JSON.stringify(seen)}`);
      assert.deepStrictEqual(new Set(seen.map(({ progressToken }) => progressToken)), new Set(["tok"]));
      const steps = seen.map(({ progress }) => progress);
      assert.deepStrictEqual(steps, [...new Set(steps)].toSorted((one, other) => one - other));
      assert.match(seen.map(({ message }) => message).join("\n"), /line 1[^]*line 3/);
    },
  );

  testLegacy(`C3 fault 3: without a token there is no progress, over ${way}`, async (_, wire) => {
    const params = { name: "sandboxed_shell", arguments: shellArguments("echo one; sleep 0.3; echo two") };
    const progress: unknown[] = [];
    await wire.follow({ jsonrpc: "2.0", id: "mute", method: "tools/call", params }, (message) => {
      if (message.method === "notifications/progress") progress.push(message);
    });
    assert.deepStrictEqual(progress, []);
  });

  for (const era of ERAS) {
    // Over HTTP a message without a session says nothing in 2026-07-28.
    if (way === "HTTP" && era === NEWEST) continue;
    const test = tests[era];
    test(
      `C3 fault 19: notifications and answers are answered by nothing in ${era}, over ${way}`,
      async (_, wire) => {
        const messages = [
          { method: "notifications/initialized" },
          { method: "notifications/none", params: { x: 1 } },
          { method: "notifications/cancelled", params: { requestId: "never" } },
          { method: "notifications/progress", params: { progressToken: "none", progress: 1 } },
          { id: 99, result: {} },
          { id: "none", error: { code: -1, message: "x" } },
        ];
        for (const message of messages) await wire.tell({ jsonrpc: "2.0", ...message });
        await wire.request("tools/list");
        const answers = wire.heard().filter(({ method }) => method === undefined);
        assert.deepStrictEqual(answers, []);
      },
    );
  }

  const testNewest = tests[NEWEST];
  testNewest(`C3 every result of 2026-07-28 says that it is complete, over ${way}`, async (_, wire) => {
    assert.equal((await wire.request("tools/list")).result?.resultType, "complete");
    assert.equal((await wire.shell("true")).result.resultType, "complete");
  });
}
