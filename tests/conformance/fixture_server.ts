/** Our own server builder with what else the conformance suite wants: tools, resources, prompts, completions. */
import { type GetPromptResult, type InputRequiredResult, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { CallDelivery } from "../../src/service/call/call_delivery.ts";
import { connectionParts } from "../../src/service/connection/connection_parts.ts";
import type { VersionedServer } from "../../src/service/sdk/versioned_server.ts";
import { failure, type Outcome, success } from "../../src/base/outcome.ts";
import { getPrompt } from "../../src/service/prompts/serve_prompts.ts";
import type { PromptRefusal, PromptSource } from "../../src/service/prompts/prompt_source.ts";
import { buildServer, type ServerOptions } from "../../src/service/connection/server.ts";
import type { Service } from "../../src/service/service.ts";
import { fixtureJobs } from "./fixture_jobs.ts";
import type { FixtureTool } from "./fixture_tools.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

const RESOURCES: Readonly<
  Record<string, { readonly mimeType: string; readonly text?: string; readonly blob?: string }>
> = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
  "test://watched-resource": { mimeType: "text/plain", text: "Watched" },
};

const PROMPTS: Readonly<Record<string, readonly string[]>> = {
  test_simple_prompt: [],
  test_prompt_with_arguments: ["arg1", "arg2"],
  test_prompt_with_embedded_resource: ["resourceUri"],
  test_prompt_with_image: [],
  test_input_required_result_prompt: [],
};

/** Makes servers that are ours, with `tools` in front of our own. */
export function fixtureServers(
  tools: ReadonlyMap<string, FixtureTool>,
): (service: Service, options: ServerOptions) => VersionedServer {
  return (ours, { parts: _, ...options }) => {
    // The suite takes a command that fails for a tool that fails.
    const service = { ...ours, settings: { ...ours.settings, exitErrors: true }, prompts: [FIXTURE_PROMPTS] };
    const server = buildServer(service, options);
    server.registerCapabilities({ resources: { ...options.revision === "2025-11-25" && { subscribe: true } } });
    addTools(server, { service, options, tools });
    addResources(server, options);
    addInputPrompt(server, service);
    return server;
  };
}

interface ToolParts {
  readonly service: Service;
  readonly options: ServerOptions;
  readonly tools: ReadonlyMap<string, FixtureTool>;
}

function addTools(server: VersionedServer, { service, options, tools }: ToolParts): void {
  const calls = (its: Service) =>
    new CallDelivery({
      ...connectionParts(its, server, options.revision),
      closed: new AbortController().signal,
    });
  const own = calls(service);
  const broken = calls({ ...service, runner: { run: () => Promise.reject(new Error("The runner is broken")) } });
  const jobs = fixtureJobs();
  const { listTools } = connectionParts(service, server, options.revision);
  server.setRequestHandler("tools/list", async ({ params }) => ({
    tools: [
      ...(await listTools(params?.cursor, {})).tools,
      ...[...tools, ...jobs].map(([name, tool]) => ({
        name,
        description: `Fixture ${name}`,
        inputSchema: {
          type: "object" as const,
          ...keywordsOf(tool),
          // The suite's own shapes.
          properties: { ...tool.properties } as never,
          required: [...tool.required ?? []],
        },
      })),
    ],
  }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const args = params.arguments ?? {};
    const tool = tools.get(params.name);
    if (tool !== undefined) return await tool.call(args, context);
    const job = jobs.get(params.name);
    const command = job?.command(args, context);
    if (typeof command === "object") return command;
    const background = { command: command ?? "", execution_mode: "AsyncResultPush" };
    const call = command === undefined ? params : { ...params, name: "sandboxed_shell", arguments: background };
    return await (job?.broken === true ? broken : own).answer(call, context) as never; // as the product's own handler does
  });
}

function keywordsOf(tool: object): object {
  return "keywords" in tool ? { ...tool.keywords as object } : {};
}

function addResources(server: VersionedServer, { revision }: ServerOptions): void {
  server.setRequestHandler("resources/list", () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    const found = RESOURCES[uri];
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id !== undefined) {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: "application/json", text }] };
    }
    if (found === undefined) throw new ResourceNotFoundError(uri);
    const { mimeType, text, blob } = found;
    return { contents: [text === undefined ? { uri, mimeType, blob: blob ?? "" } : { uri, mimeType, text }] };
  });
  if (revision === "2026-07-28") return;
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
}

/** What the product's own handlers serve. */
const FIXTURE_PROMPTS: PromptSource = {
  list: () =>
    Promise.resolve(
      Object.entries(PROMPTS).map(([name, words]) => ({
        name,
        description: `Fixture ${name}`,
        arguments: words.map((word) => ({ name: word, required: true })),
      })),
    ),
  get: ({ name, args }) => Promise.resolve(known(name, promptNamed(name, args))),
  complete: ({ name }) => Promise.resolve(known(name, { values: ["paris", "park"] })),
};

function known<Value>(name: string, value: Value): Outcome<Value, PromptRefusal> {
  return name in PROMPTS ? success(value) : failure({ kind: "unknown", known: Object.keys(PROMPTS) });
}

/** No prompt of ours asks its client for anything, so the one that does stands before the product's handler. */
function addInputPrompt(server: VersionedServer, service: Service): void {
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: args = {} } }, { mcpReq }) => {
    if (name !== "test_input_required_result_prompt") return getPrompt(service, { name, args }, mcpReq);
    if (mcpReq.inputResponses !== undefined) return promptNamed("test_simple_prompt", {});
    const requestedSchema = { type: "object", properties: { context: { type: "string" } }, required: ["context"] };
    const params = { mode: "form", message: "What context should the prompt use?", requestedSchema };
    const inputRequests = { user_context: { method: "elicitation/create", params } };
    // The suite's own shape.
    return { resultType: "input_required", inputRequests } as unknown as InputRequiredResult;
  });
}

function promptNamed(name: string, args: Readonly<Record<string, string>>): GetPromptResult {
  const say = (text: string) => ({ role: "user" as const, content: { type: "text" as const, text } });
  switch (name) {
    case "test_prompt_with_arguments":
      return { messages: [say(`Prompt with arguments: arg1='${args["arg1"]}', arg2='${args["arg2"]}'`)] };
    case "test_prompt_with_embedded_resource": {
      const resource = {
        uri: args["resourceUri"] ?? "",
        mimeType: "text/plain",
        text: "Embedded resource content for testing.",
      };
      const embedded = { role: "user" as const, content: { type: "resource" as const, resource } };
      return { messages: [embedded, say("Please process the embedded resource above.")] };
    }
    case "test_prompt_with_image": {
      const image = { role: "user" as const, content: { type: "image" as const, data: PNG, mimeType: "image/png" } };
      return { messages: [image, say("Please analyze the image above.")] };
    }
    default:
      return { messages: [say("This is a simple prompt for testing.")] };
  }
}
