/**
 * What each version says of pages, levels, completions, resources and prompts (C3, C4, C5): every question with its
 * code in every version, `0` for a result: over HTTP in sessions, of which one server has all, and over stdio.
 */
import assert from "node:assert/strict";
import { HttpClient } from "./_support/clients/http_client.ts";
import type { RpcMessage } from "./_support/json_rpc.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { sharing } from "./_support/sharing.ts";
import type { Workbench } from "./_support/workbench.ts";

const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
type Version = typeof VERSIONS[number];

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const RESOURCE_NOT_FOUND = -32002;
const UNKNOWN_TASK = "op_00000000000000000000000000";

/** The code in every version, or by version: `sessions` up to 2025-11-25, `tasks` 2025-11-25, `newest` 2026-07-28. */
type Codes = number | { readonly sessions: number; readonly tasks?: number; readonly newest: number };

const TEMPLATE = { ref: { type: "ref/resource", uri: "ahma://tools/{name}" }, argument: { name: "name", value: "" } };

const QUESTIONS: readonly (readonly [method: string, params: object, codes: Codes])[] = [
  // Pages: a cursor that was never given out is invalid.
  ["tools/list", {}, 0],
  ["tools/list", { cursor: "x" }, INVALID_PARAMS],
  ["tools/list", { cursor: "" }, INVALID_PARAMS],
  ["tools/list", { cursor: 5 }, INVALID_PARAMS],
  ["resources/list", { cursor: "x" }, INVALID_PARAMS],
  ["resources/list", { cursor: "ahma://operations/none" }, INVALID_PARAMS],
  ["resources/list", { cursor: `ahma://operations/${UNKNOWN_TASK}` }, 0],
  ["resources/templates/list", {}, 0],
  ["resources/templates/list", { cursor: "x" }, INVALID_PARAMS],
  ["tasks/list", { cursor: "x" }, { sessions: METHOD_NOT_FOUND, tasks: INVALID_PARAMS, newest: METHOD_NOT_FOUND }],
  ["tasks/list", {}, { sessions: METHOD_NOT_FOUND, tasks: 0, newest: METHOD_NOT_FOUND }],
  // Levels.
  ...["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"].map((level) =>
    ["logging/setLevel", { level }, { sessions: 0, newest: METHOD_NOT_FOUND }] as const
  ),
  ["logging/setLevel", { level: "loud" }, { sessions: INVALID_PARAMS, newest: METHOD_NOT_FOUND }],
  ["logging/setLevel", { level: "DEBUG" }, { sessions: INVALID_PARAMS, newest: METHOD_NOT_FOUND }],
  ["logging/setLevel", {}, { sessions: INVALID_PARAMS, newest: METHOD_NOT_FOUND }],
  // Completions.
  ["completion/complete", TEMPLATE, 0],
  ["completion/complete", { ...TEMPLATE, argument: { name: "none", value: "" } }, 0],
  ["completion/complete", { ...TEMPLATE, ref: { type: "ref/resource", uri: "x://{y}" } }, INVALID_PARAMS],
  ["completion/complete", { ...TEMPLATE, ref: { type: "ref/prompt", name: "none" } }, INVALID_PARAMS],
  ["completion/complete", { ...TEMPLATE, ref: { type: "ref/none" } }, INVALID_PARAMS],
  ["completion/complete", {}, INVALID_PARAMS],
  // Resources.
  ["resources/read", { uri: "ahma://operations" }, 0],
  ["resources/read", { uri: "file:///etc/passwd" }, { sessions: RESOURCE_NOT_FOUND, newest: INVALID_PARAMS }],
  ["resources/read", { uri: "ahma://tools/none" }, { sessions: RESOURCE_NOT_FOUND, newest: INVALID_PARAMS }],
  ["resources/read", { uri: "ahma://operations?no=1" }, INVALID_PARAMS],
  ["resources/read", { uri: 7 }, INVALID_PARAMS],
  ["resources/read", {}, INVALID_PARAMS],
  ["resources/subscribe", { uri: "ahma://operations" }, { sessions: 0, newest: METHOD_NOT_FOUND }],
  ["resources/subscribe", { uri: "x://y" }, { sessions: RESOURCE_NOT_FOUND, newest: METHOD_NOT_FOUND }],
  ["resources/unsubscribe", { uri: "x://y" }, { sessions: 0, newest: METHOD_NOT_FOUND }],
  // There are no prompts, and none are declared.
  ["prompts/list", {}, METHOD_NOT_FOUND],
  ["prompts/get", { name: "x" }, METHOD_NOT_FOUND],
  // There are no skills of the project, as where other programs' skills are not asked for.
  ["skills/list", {}, METHOD_NOT_FOUND],
  ["skills/get", { uri: "skill://a" }, METHOD_NOT_FOUND],
  ["resources/directory/read", { uri: "skill://a" }, METHOD_NOT_FOUND],
  [
    "resources/read",
    { uri: "skill://project/review/SKILL.md" },
    { sessions: RESOURCE_NOT_FOUND, newest: INVALID_PARAMS },
  ],
  // Tools.
  ["tools/call", { name: "none", arguments: {} }, INVALID_PARAMS],
  ["tools/call", { arguments: {} }, INVALID_PARAMS],
  ["tools/call", { name: "status", arguments: [] }, INVALID_PARAMS],
  ["tools/call", { name: "status", arguments: null }, INVALID_PARAMS],
  // What came and went.
  ["ping", {}, { sessions: 0, newest: METHOD_NOT_FOUND }],
  ["server/discover", {}, { sessions: METHOD_NOT_FOUND, newest: 0 }],
  ["subscriptions/listen", {}, { sessions: METHOD_NOT_FOUND, newest: INVALID_PARAMS }],
  ["tasks/result", { taskId: "x" }, { sessions: METHOD_NOT_FOUND, tasks: INVALID_PARAMS, newest: METHOD_NOT_FOUND }],
  ["tasks/get", { taskId: "x" }, { sessions: METHOD_NOT_FOUND, tasks: INVALID_PARAMS, newest: -32021 }],
  ["tasks/cancel", { taskId: "x" }, { sessions: METHOD_NOT_FOUND, tasks: INVALID_PARAMS, newest: -32021 }],
  ["tasks/update", { taskId: "x" }, { sessions: METHOD_NOT_FOUND, newest: -32021 }],
  ["sampling/createMessage", {}, METHOD_NOT_FOUND],
  ["roots/list", {}, METHOD_NOT_FOUND],
];

function codeFor(codes: Codes, version: Version): number {
  if (typeof codes === "number") return codes;
  if (version === "2026-07-28") return codes.newest;
  return version === "2025-11-25" ? codes.tasks ?? codes.sessions : codes.sessions;
}

/** How a client of the version asks, and what it was told of the server. */
interface Asked {
  readonly told: RpcMessage;
  ask(method: string, params: object): Promise<RpcMessage>;
}

async function assertCodes(version: Version, { told, ask }: Asked): Promise<void> {
  assert.doesNotMatch(JSON.stringify(told.result?.capabilities), /prompts|skills/, "neither is declared");
  assert.doesNotMatch(JSON.stringify(await ask("resources/list", {})), /skill:/);
  const seen = [];
  for (const [method, params] of QUESTIONS) {
    const { error } = await ask(method, params);
    seen.push([method, params, error?.code ?? 0]);
    assert.doesNotMatch(error?.message ?? "", /"path"|\n/, "an error is words");
  }
  assert.deepStrictEqual(seen, QUESTIONS.map(([method, params, codes]) => [method, params, codeFor(codes, version)]));
}

const SKILL = "---\nname: review\ndescription: Does review.\n---\n# review\n";

function withSkill(bench: Workbench): void {
  bench.write(".claude/skills/review/SKILL.md", SKILL);
}

const testSessions = sharing((bench) => {
  withSkill(bench);
  return HttpServerProcess.start(bench);
});
const testNewest = sharing((bench) => {
  withSkill(bench);
  return ServerProcess.start(bench, { era: "2026-07-28" });
});
const WHAT = "pages, levels, completions, resources and what is not there have their codes";

for (const version of VERSIONS.filter((one) => one !== "2026-07-28")) {
  testSessions(`C3 C4 C5 Q6 ${version}: ${WHAT}`, async ({ server }) => {
    await using client = await HttpClient.connect(server, { protocolVersion: version, listens: false });
    await client.notify("notifications/initialized");
    await assertCodes(version, {
      told: client.initialized,
      ask: (method, params) => client.request(method, params, { headers: { "mcp-protocol-version": version } }),
    });
  });
}

testNewest(`C3 C4 C5 Q6 2026-07-28: ${WHAT}`, async ({ server }) => {
  const told = await server.request("server/discover");
  await assertCodes("2026-07-28", { told, ask: (method, params) => server.request(method, params) });
});
