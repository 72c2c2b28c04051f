/** What each version of the protocol is offered, and that it gets nothing it does not know, over stdio and HTTP. */
import assert from "node:assert/strict";
import type { RpcMessage } from "../_support/json_rpc.ts";
import { BOTH_WAYS, ERAS, LEGACY_VERSIONS, NEWEST, type Wire } from "./wires.ts";

const RESOURCES = { subscribe: true, listChanged: true };
const TASKS = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
const OLDEST = { tools: { listChanged: true }, resources: RESOURCES, logging: {} };
const WITH_COMPLETIONS = { ...OLDEST, completions: {} };

const CAPABILITIES = {
  "2024-11-05": OLDEST,
  "2025-03-26": WITH_COMPLETIONS,
  "2025-06-18": WITH_COMPLETIONS,
  "2025-11-25": { ...WITH_COMPLETIONS, tasks: TASKS },
} as const;

interface SeenTool {
  readonly name: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly execution?: unknown;
}

async function toolsOf(wire: Wire): Promise<readonly SeenTool[]> {
  const { result } = await wire.request("tools/list");
  // The server's own format, which the tests then compare field by field.
  return result?.tools as readonly SeenTool[];
}

function codeOf({ error }: RpcMessage): number | undefined {
  return error?.code;
}

/** Over stdio each version has a server: those between the oldest and the newest of their era differ over HTTP alone. */
const VERSIONS = {
  stdio: LEGACY_VERSIONS.filter((version) => !["2025-03-26", "2025-06-18"].includes(version)),
  HTTP: LEGACY_VERSIONS,
};

for (const { way, tests } of BOTH_WAYS) {
  for (const version of VERSIONS[way]) {
    const test = tests[version];
    const hasTasks = version === "2025-11-25";
    test(
      `C1 C3 X5 ${version} is answered with itself and offered what it knows, tasks ${
        hasTasks ? "included" : "not"
      }, over ${way}`,
      async (_, wire) => {
        assert.deepStrictEqual([wire.initialized?.protocolVersion, wire.initialized?.capabilities], [
          version,
          CAPABILITIES[version],
        ]);
        const tools = await toolsOf(wire);
        const support = Object.fromEntries(tools.map(({ name, execution }) => [name, execution]));
        const { sandboxed_shell, await: waits, cancel, status } = support;
        const execution = hasTasks ? { taskSupport: "optional" } : undefined;
        assert.deepStrictEqual([sandboxed_shell, waits, cancel, status], [execution, undefined, undefined, undefined]);
        assert.ok(hasTasks || tools.every((tool) => tool.execution === undefined));
        assert.strictEqual(codeOf(await wire.request("tasks/list")), hasTasks ? undefined : -32601);
        assert.strictEqual(codeOf(await wire.request("tasks/update", { taskId: "x" })), -32601);
        const call = { name: "sandboxed_shell", arguments: { command: "true" }, task: { ttl: 1000 } };
        const { result = {} } = await wire.request("tools/call", call);
        assert.deepStrictEqual(["task" in result, "content" in result], [hasTasks, !hasTasks]);
      },
    );
  }

  for (const version of [...VERSIONS[way], NEWEST] as const) {
    const test = tests[version];
    test(
      `C3 fault 13: every input schema is a plain object for every client in ${version}, over ${way}`,
      async (_, wire) => {
        const tools = await toolsOf(wire);
        assert.ok(tools.length > 20, `${tools.length} tools`);
        for (const { name, inputSchema } of tools) assertPlain(name, inputSchema);
        assert.strictEqual(new Set(tools.map(({ name }) => name)).size, tools.length);
      },
    );

    if (version === "2025-03-26") continue;
    test(`C2 C3 ${version} refuses a batch, over ${way}`, async (_, wire) => {
      const { id, error } = await wire.exchange(JSON.stringify([{ jsonrpc: "2.0", id: "ping", method: "ping" }]));
      assert.deepStrictEqual([id ?? null, error?.code, /2025-03-26 only/.test(error?.message ?? "")], [
        null,
        -32600,
        true,
      ]);
    });
  }

  for (const version of ERAS) {
    const test = tests[version];
    test(
      `H3 C3 fault 17: a client is asked for nothing it has not declared in ${version}, over ${way}`,
      async (_, wire) => {
        if (version !== NEWEST) await wire.tell({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
        await wire.shell("true");
        await wire.call("status", {});
        assert.deepStrictEqual(wire.heard().filter(({ id }) => id !== undefined), []);
      },
    );
  }

  const testNewest = tests[NEWEST];
  testNewest(`C1 server/discover names 2026-07-28, tools and the tasks extension, over ${way}`, async (_, wire) => {
    const { result } = await wire.request("server/discover");
    assert.deepStrictEqual([result?.supportedVersions, result?.capabilities], [[NEWEST], {
      tools: { listChanged: true },
      resources: RESOURCES,
      completions: {},
      extensions: { "io.modelcontextprotocol/tasks": {} },
    }]);
    assert.ok((await toolsOf(wire)).every(({ execution }) => execution === undefined));
  });
}

function assertPlain(name: string, inputSchema: Readonly<Record<string, unknown>>): void {
  assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  const { type, properties, required = [], additionalProperties, ...rest } = inputSchema;
  assert.deepStrictEqual([type, typeof properties, additionalProperties, Object.keys(rest)], [
    "object",
    "object",
    false,
    [],
  ], name);
  const names = Object.keys(properties as object);
  assert.deepStrictEqual((required as readonly string[]).filter((one) => !names.includes(one)), [], name);
  assert.doesNotMatch(JSON.stringify(inputSchema), /"(\$ref|\$defs|anyOf|oneOf|allOf|not|if)"/, name);
}
