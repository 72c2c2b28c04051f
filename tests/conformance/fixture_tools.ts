/** The tools that the official conformance suite wants a server to have, by its own description of each. */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";

type Arguments = Readonly<Record<string, unknown>>;
type Answer = CallToolResult | InputRequiredResult;

export interface FixtureTool {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  /** Further keywords of its schema. */
  readonly keywords?: Readonly<Record<string, unknown>>;
  readonly call: (args: Arguments, context: ServerContext) => Answer | Promise<Answer>;
}

/** One red pixel, and a quarter of a second of silence. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const STRING = { type: "string" } as const;

/** What must come through unchanged (SEP-1613, SEP-2106). */
const KEYWORDS_2020_12 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: STRING, city: STRING } } },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
} as const;

function text(words: string): CallToolResult {
  return { content: [{ type: "text", text: words }] };
}

function elicit(message: string, properties: Readonly<Record<string, object>>): object {
  const requestedSchema = { type: "object", properties, required: Object.keys(properties) };
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
}

const SAMPLE = {
  method: "sampling/createMessage",
  params: {
    messages: [{ role: "user", content: { type: "text", text: "What is the capital of France?" } }],
    maxTokens: 100,
  },
} as const;
const ROOTS = { method: "roots/list", params: {} } as const;

function needs(inputRequests: Readonly<Record<string, object>>, requestState?: string): InputRequiredResult {
  // The suite's own shapes; the SDK checks them again on the wire.
  return {
    resultType: "input_required",
    inputRequests,
    ...requestState !== undefined && { requestState },
  } as InputRequiredResult;
}

function responses({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> {
  return mcpReq.inputResponses ?? {};
}

/** What the client of this very request declared; the SDK's type of the envelope leaves the key out. */
function capabilitiesOf({ envelope }: ServerContext["mcpReq"]): ClientCapabilities {
  const declared = (envelope as Readonly<Record<string, ClientCapabilities>> | undefined)
    ?.[CLIENT_CAPABILITIES_META_KEY];
  return declared ?? {};
}

/** States are unguessable, and only those given out are taken back: what a server with state of its own does. */
export class IssuedStates {
  readonly #issued = new Set<string>();

  issue(round: string): string {
    const state = `${round}:${crypto.randomUUID()}`;
    this.#issued.add(state);
    return state;
  }

  /** The round of the state that came back; undefined: none came. @throws ProtocolError for one that was never given out */
  round({ mcpReq }: ServerContext): string | undefined {
    const state = mcpReq.requestState<string>();
    if (state === undefined) return undefined;
    if (!this.#issued.has(state)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The state was tampered with");
    }
    return state.split(":")[0];
  }
}

function contentTools(): Readonly<Record<string, FixtureTool>> {
  const resource = (uri: string, mimeType: string, words: string) =>
    ({ type: "resource", resource: { uri, mimeType, text: words } }) as const;
  const image = { type: "image", data: PNG, mimeType: "image/png" } as const;
  return {
    test_simple_text: { call: () => text("This is a simple text response for testing.") },
    greet: { properties: { name: STRING }, call: ({ name }) => text(`Hello, ${name}!`) },
    // No task of ours asks for anything, so neither does this one: its answer is the result.
    confirm_delete: { properties: { filename: STRING }, call: () => text("Nothing was deleted.") },
    test_image_content: { call: () => ({ content: [image] }) },
    test_audio_content: { call: () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }) },
    test_embedded_resource: {
      call: () => ({
        content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
      }),
    },
    test_multiple_content_types: {
      call: () => ({
        content: [
          { type: "text", text: "Multiple content types test:" },
          image,
          resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
        ],
      }),
    },
    test_error_handling: {
      call: () => ({ ...text("This tool intentionally returns an error for testing"), isError: true }),
    },
    json_schema_2020_12_tool: {
      properties: {
        name: STRING,
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: STRING,
        email: STRING,
      },
      keywords: KEYWORDS_2020_12,
      call: () => text("ok"),
    },
  };
}

function notifyingTools(): Readonly<Record<string, FixtureTool>> {
  const log = async (context: ServerContext) => {
    for (const words of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await context.mcpReq.log("info", words);
    }
    return text("Logged three times");
  };
  return {
    test_tool_with_logging: { call: (_args, context) => log(context) },
    test_logging_tool: { call: (_args, context) => log(context) },
    test_tool_with_progress: {
      async call(_args, { mcpReq }) {
        const progressToken = mcpReq._meta?.progressToken;
        if (progressToken === undefined) return text("No token");
        for (const progress of [0, 50, 100]) {
          await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
        }
        return text(String(progressToken));
      },
    },
  };
}

function askingTools(): Readonly<Record<string, FixtureTool>> {
  const ask = async ({ mcpReq }: ServerContext, message: string, properties: Readonly<Record<string, object>>) => {
    const requestedSchema = {
      type: "object" as const,
      properties: properties as never,
      required: Object.keys(properties),
    };
    const { action, content } = await mcpReq.elicitInput({ mode: "form", message, requestedSchema });
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
  };
  const options = ["option1", "option2", "option3"];
  const titled = [1, 2, 3].map((number) => ({ const: `value${number}`, title: `Option ${number}` }));
  return {
    test_sampling: {
      properties: { prompt: STRING },
      required: ["prompt"],
      async call({ prompt }, { mcpReq }) {
        const content = { type: "text" as const, text: String(prompt) };
        const answer = await mcpReq.requestSampling({ messages: [{ role: "user", content }], maxTokens: 100 });
        return text(`LLM response: ${JSON.stringify(answer.content)}`);
      },
    },
    test_elicitation: {
      properties: { message: STRING },
      required: ["message"],
      call: ({ message }, context) => ask(context, String(message), { username: STRING, email: STRING }),
    },
    test_elicitation_sep1034_defaults: {
      call: (_args, context) =>
        ask(context, "Defaults", {
          name: { type: "string", default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        }),
    },
    test_elicitation_sep1330_enums: {
      call: (_args, context) =>
        ask(context, "Enums", {
          untitledSingle: { type: "string", enum: options },
          titledSingle: { type: "string", oneOf: titled },
          legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
          untitledMulti: { type: "array", items: { type: "string", enum: options } },
          titledMulti: { type: "array", items: { anyOf: titled } },
        }),
    },
  };
}

function inputTools(states: IssuedStates): Readonly<Record<string, FixtureTool>> {
  const name = elicit("What is your name?", { name: STRING });
  const confirm = elicit("Please confirm", { ok: { type: "boolean" } });
  const once = (key: string, request: object): FixtureTool => ({
    call: (_args, context) =>
      key in responses(context) ? text(`Got ${JSON.stringify(responses(context)[key])}`) : needs({ [key]: request }),
  });
  const withState: FixtureTool = {
    call: (_args, context) =>
      states.round(context) === undefined ? needs({ confirm }, states.issue("one")) : text("state-ok"),
  };
  return {
    test_input_required_result_elicitation: once("user_name", name),
    test_input_required_result_sampling: once("capital_question", SAMPLE),
    test_input_required_result_list_roots: once("client_roots", ROOTS),
    test_streaming_elicitation: once("user_name", name),
    test_input_required_result_request_state: withState,
    test_input_required_result_tampered_state: withState,
    test_input_required_result_multiple_inputs: {
      call(_args, context) {
        const all = { user_name: name, greeting: SAMPLE, client_roots: ROOTS };
        if (states.round(context) === undefined) return needs(all, states.issue("all"));
        return text(Object.keys(responses(context)).join(", "));
      },
    },
    test_input_required_result_multi_round: {
      call(_args, context) {
        const color = elicit("Step 2: What is your favorite color?", { color: STRING });
        switch (states.round(context)) {
          case undefined:
            return needs({ step1: elicit("Step 1: What is your name?", { name: STRING }) }, states.issue("first"));
          case "first":
            return needs({ step2: color }, states.issue("second"));
          default:
            return text("Both steps are done");
        }
      },
    },
    test_input_required_result_capabilities: {
      call(_args, { mcpReq }) {
        const { sampling, elicitation, roots } = capabilitiesOf(mcpReq);
        return needs({
          ...elicitation !== undefined && { user_name: name },
          ...sampling !== undefined && { capital_question: SAMPLE },
          ...roots !== undefined && { client_roots: ROOTS },
        });
      },
    },
    test_missing_capability: {
      call(_args, { mcpReq }) {
        const { sampling } = capabilitiesOf(mcpReq);
        if (sampling !== undefined) return text("sampling is there");
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
      },
    },
  };
}

/** All of them, by name. */
export function fixtureTools(): ReadonlyMap<string, FixtureTool> {
  return new Map(Object.entries({
    ...contentTools(),
    ...notifyingTools(),
    ...askingTools(),
    ...inputTools(new IssuedStates()),
  }));
}
