import assert from "node:assert/strict";
import { BesideClient, readBeside } from "./beside.ts";

/** A server that answers a call with the name and arguments that it got. */
const SERVER = `
const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
let rest = "";
for await (const chunk of lines) {
  const all = (rest + chunk).split("\\n");
  rest = all.pop();
  for (const line of all) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const result = method === "initialize"
      ? { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "other", version: "1" } }
      : { content: [{ type: "text", text: params.name + " " + JSON.stringify(params.arguments) }] };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }
}`;

async function called(call: string): Promise<string> {
  const [beside] = readBeside(["other --flag  word"], call);
  assert.ok(beside !== undefined);
  assert.deepStrictEqual([beside.name, beside.words], ["other --flag  word", ["other", "--flag", "word"]]);
  const line = { command: Deno.execPath(), args: ["eval", SERVER], directory: "/", environment: { HOME: "/tmp" } };
  await using client = new BesideClient(line, beside);
  await client.initialize();
  return await client.shell().then(() => "answered", ({ message }: Error) => message);
}

Deno.test("bench: another server's tool is called by its name and arguments, and must print the same", async () => {
  assert.strictEqual(await called('{"name":"run","arguments":{"line":"echo hi"}}'), "answered");
  assert.strictEqual(await called('{"name":"run","arguments":{"n":1}}'), 'Wrong answer of "run": run {"n":1}');
});

Deno.test("bench: without a call another server has our own tool, and one of another form is refused", () => {
  const usual = { name: "sandboxed_shell", args: { command: "echo hi", execution_mode: "Synchronous" } };
  assert.deepStrictEqual(readBeside(["a", "b"], undefined).map(({ tool, args }) => ({ name: tool, args })), [
    usual,
    usual,
  ]);
  for (const text of ["{}", '{"name":1}', '{"name":"a","arguments":7}', "null"]) {
    assert.throws(() => readBeside(["a"], text), RangeError, text);
  }
});
