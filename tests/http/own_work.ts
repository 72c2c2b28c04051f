/** What a session works on (tasks, resources) reaches its own client over HTTP and no other. */
import assert from "node:assert/strict";
import type { HttpClient } from "../_support/clients/http_client.ts";
import { type RpcMessage, toolAnswer } from "../_support/json_rpc.ts";
import type { Workbench } from "../_support/workbench.ts";

const SHELL = "sandboxed_shell";

/** Says a word, and goes on until the file `NAME.go` is there. */
function command(name: string): string {
  return `echo the secret; touch ${name}; until [ -e ${name}.go ]; do sleep 0.05; done`;
}

const INVALID_PARAMS = -32602;
/** Of versions up to 2025-11-25. */
export const NO_RESOURCE = -32002;

/** A task of 2025-11-25 that runs until `go` is there. */
async function beginTask(client: HttpClient): Promise<string> {
  const { result } = await client.request("tools/call", {
    name: SHELL,
    arguments: { command: command("task") },
    task: {},
  });
  // The server's own answer, which the test then uses.
  return (result?.["task"] as { readonly taskId: string }).taskId;
}

/** What was answered: a result as JSON, an error as its code. */
export function outcome({ result, error }: RpcMessage): string {
  return error === undefined ? JSON.stringify(result) : String(error.code);
}

/** Names of the prompts in an answer. */
export function namesIn({ result }: RpcMessage): readonly string[] {
  // The answer to prompts/list.
  return ((result?.["prompts"] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
}

/** Every way to come upon an operation: what it gave, a result as JSON or an error as its code. */
async function search(client: HttpClient, id: string): Promise<Readonly<Record<string, string>>> {
  const ways: readonly (readonly [method: string, params: object])[] = [
    ["tasks/list", {}],
    ["tasks/get", { taskId: id }],
    ["resources/list", {}],
    ["resources/read", { uri: "ahma://operations" }],
    ["resources/read", { uri: `ahma://operations/${id}` }],
    ["resources/read", { uri: `ahma://operations/${id}/output` }],
    ["resources/subscribe", { uri: `ahma://operations/${id}` }],
    ["completion/complete", {
      ref: { type: "ref/resource", uri: "ahma://operations/{operation_id}" },
      argument: { name: "operation_id", value: "op_" },
    }],
  ];
  const seen: Record<string, string> = {};
  for (const [method, params] of ways) {
    const uri = "uri" in params ? ` ${String(params.uri).replace(id, "ID")}` : "";
    seen[`${method}${uri}`] = outcome(await client.request(method, params));
  }
  return seen;
}

interface Clients {
  readonly bench: Workbench;
  readonly one: HttpClient;
  readonly other: HttpClient;
  /** The directory of commands in the scope of the bench, with a slash at its end. */
  readonly at?: string;
}

/** Tasks and resources of one session are found by its client, and in no way by another, which has begun nothing. */
export async function keepsItsWork({ bench, one, other, at = "" }: Clients): Promise<void> {
  const id = await beginTask(one);
  await bench.appears(`${at}task`);
  for (const [way, found] of Object.entries(await search(one, id))) {
    assert.ok(found.includes(id) || /subscribe|output/.test(way) && found.startsWith("{"), `${way}: ${found}`);
  }
  const strange = await search(other, id);
  assert.deepStrictEqual(Object.entries(strange).filter(([, found]) => /op_|secret/.test(found)), []);
  const refused = Object.entries(strange).filter(([, found]) => /^-\d+$/.test(found)).map((
    [way, code],
  ) => [way, Number(code)]);
  assert.deepStrictEqual(refused, [
    ["tasks/get", INVALID_PARAMS],
    ["resources/read ahma://operations/ID", NO_RESOURCE],
    ["resources/read ahma://operations/ID/output", NO_RESOURCE],
    ["resources/subscribe ahma://operations/ID", NO_RESOURCE],
  ]);
  for (const method of ["tasks/cancel", "tasks/result"]) {
    assert.strictEqual(outcome(await other.request(method, { taskId: id })), String(INVALID_PARAMS), method);
  }
  bench.write(`${at}task.go`, "");
  assert.match(toolAnswer(await one.request("tasks/result", { taskId: id })).text, /the secret/);
  assert.strictEqual((await one.hears("notifications/resources/updated")).params?.["uri"], `ahma://operations/${id}`);
  await other.shell("true");
  assert.doesNotMatch(JSON.stringify(other.heard), new RegExp(`${id}|secret`));
}

interface Rooted {
  readonly clients: readonly HttpClient[];
  /** Of each client, as `rootWithFiles` makes them; the first is named `one`, the second `two`. */
  readonly roots: readonly string[];
}

/** A directory below the scope with a prompt and a file that are named after it. */
export function rootWithFiles(bench: Workbench, name: string): string {
  bench.write(`${name}/.ahma/prompts/${name}.md`, `Prompt of ${name}`);
  bench.write(`${name}/own.txt`, `of ${name}\n`);
  return `${bench.scope}/${name}`;
}

/** Prompts, files and scripts of each session are those of its own root, and no others. */
export async function hasItsOwn({ clients, roots }: Rooted): Promise<void> {
  const [one] = clients;
  assert.ok(one !== undefined);
  assert.match(JSON.stringify(one.initialized.result?.["capabilities"]), /"prompts":\{"listChanged":true\}/);
  assert.deepStrictEqual(namesIn(await one.request("prompts/list")), ["one"]);
  const content = { type: "text", text: "Prompt of one" };
  const { result } = await one.request("prompts/get", { name: "one" });
  assert.deepStrictEqual(result?.["messages"], [{ role: "user", content }]);
  const read = async (path: string) => JSON.stringify((await one.call("files_read", { path })).result["content"]);
  assert.match(await read("own.txt"), /1\\tof one/);
  assert.match(await read(`${roots[1]}/own.txt`), /it is outside the scope/);
  const files = roots.map((root) => `${root}/own.txt`);
  const code = `const texts = [];
    for (const path of ["own.txt", "${files.join('", "')}"]) {
      const { text, isError } = await tools.files_read({ path, line_numbers: false });
      texts.push(isError ? "refused" : text.split("\\n")[1]);
    }
    const { isError } = await tools.files_write({ path: "made.txt", content: texts[0] });
    const { text } = await tools.sandboxed_shell({ command: "cat ${files.join(" ")} 2>/dev/null; true" });
    return [...texts, isError, text.split("\\n")[0]];`;
  const answers = await Promise.all(clients.map((client) => client.call("run_script", { code })));
  const values = answers.map(({ text }) => JSON.parse(text.slice(0, text.lastIndexOf("\n[script: "))));
  assert.deepStrictEqual(values, [
    ["of one", "of one", "refused", false, "of one"],
    ["of two", "refused", "of two", false, "of two"],
  ]);
  assert.deepStrictEqual(roots.map((root) => Deno.readTextFileSync(`${root}/made.txt`)), ["of one", "of two"]);
}
