import { strict as assert } from "node:assert";
import { Emitter } from "../../base/emitter.ts";
import { SILENT } from "../../base/log.ts";
import { failure, success } from "../../base/outcome.ts";
import { catalogOf } from "../../catalog/model/snapshot.ts";
import { connectClient, makeLeaf, makeService, textsOf } from "../_support/connection.ts";
import type { Service, ToolSource } from "../service.ts";

/** A service with tool files and a third source that offers `names`. */
function withThirdSource(names: readonly string[], rest: Pick<ToolSource, "onChange"> = {}): Service {
  const tools = names.map((name) => ({ name, inputSchema: { type: "object" } as const }));
  const third: ToolSource = {
    list: () => Promise.resolve(tools),
    call: (_service, { name }) =>
      Promise.resolve(
        names.includes(name)
          ? success({ content: [{ type: "text", text: `third ${name}` }] })
          : failure({ known: names }),
      ),
    ...rest,
  };
  const service = makeService({ catalog: catalogOf([makeLeaf("git_status")]), settings: { toolPrefix: "x_" } });
  return { ...service, sources: [...service.sources, third] };
}

Deno.test("B1 T5 an earlier source wins: a name that it has is listed once and called there", async () => {
  await using connected = await connectClient(withThirdSource(["status", "git_status", "fetch"]));
  const { tools } = await connected.client.listTools();
  const listed = tools.map(({ name, description }) => [name, description === undefined]);
  assert.deepStrictEqual(listed, [
    ["x_await", false],
    ["x_cancel", false],
    ["x_sandboxed_shell", false],
    ["x_send", false],
    ["x_status", false],
    ["x_git_status", false],
    ["x_fetch", true],
  ]);
  const call = async (name: string) => textsOf(await connected.client.callTool({ name }))[0]?.split(",")[0];
  assert.deepStrictEqual(await call("x_status"), "0 running");
  assert.deepStrictEqual(await call("x_fetch"), "third fetch");
});

Deno.test("B1 T5 a tool whose name an earlier source has is told in the log, once for each list", async () => {
  const warned: unknown[] = [];
  const log = { ...SILENT, warn: (message: string, fields?: object) => void warned.push([message, fields]) };
  await using connected = await connectClient({ ...withThirdSource(["status", "fetch"]), log });
  for (let asked = 0; asked < 2; asked++) await connected.client.listTools();
  assert.deepStrictEqual(warned, [["Tool left out: another source has its name", { name: "status" }]]);
});

Deno.test("T5 C3 a tool that no source has is -32602 with the nearest name of any source", async () => {
  await using connected = await connectClient(withThirdSource(["fetch"]));
  for (const [typed, meant] of [["fetsh", "x_fetch"], ["git_statu", "x_git_status"], ["awayt", "x_await"]] as const) {
    await assert.rejects(connected.client.callTool({ name: typed }), {
      code: -32602,
      message: new RegExp(`^Unknown tool "${typed}"; did you mean "${meant}"\\?$`),
    });
  }
});

Deno.test("C1 T12 a change of any source is told by one list_changed", async () => {
  const changes = new Emitter<undefined>((thrown) => assert.fail(String(thrown)));
  await using connected = await connectClient(
    withThirdSource(["fetch"], { onChange: (listener) => changes.subscribe(listener) }),
  );
  let heard = 0;
  connected.client.setNotificationHandler("notifications/tools/list_changed", () => void heard++);
  changes.emit(undefined);
  await connected.client.ping();
  assert.deepStrictEqual([connected.client.getServerCapabilities()?.tools, heard], [{ listChanged: true }, 1]);
});
