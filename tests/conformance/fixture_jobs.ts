/**
 * The tools that the suite's tasks scenarios want. Each is a shell line: the work, the task and all that becomes of it
 * are our own server's, as for any call of `sandboxed_shell`; for `protocol_error_job` that is what a runner that cannot
 * run it makes of it.
 */
import {
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { TASKS_EXTENSION } from "../../src/wire/json_rpc_message.ts";
import { declaresTasks } from "../../src/service/tasks/tasks_2026_07.ts";

type Arguments = Readonly<Record<string, unknown>>;

export interface FixtureJob {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  /** The shell line to run as the call, or what to ask the client before. */
  readonly command: (args: Arguments, context: ServerContext) => string | InputRequiredResult;
  /** The server fails at its own part: its runner throws. */
  readonly broken?: boolean;
}

const STRING = { type: "string" } as const;

/** By name. */
export function fixtureJobs(): ReadonlyMap<string, FixtureJob> {
  return new Map(Object.entries({
    slow_compute: {
      properties: { seconds: { type: "number" }, label: STRING },
      command: ({ seconds }: Arguments) => `sleep ${Number(seconds)}; echo computed`,
    },
    protocol_error_job: { broken: true, command: () => "true" },
    // The suite registers it with task support "required".
    failing_job: {
      command(_args: Arguments, context: ServerContext) {
        if (declaresTasks(context)) return "sleep 0.5; echo broken >&2; exit 3";
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
        });
      },
    },
    test_tool_with_task: {
      command(_args: Arguments, { mcpReq }: ServerContext) {
        const name = nameIn(mcpReq.inputResponses?.["user_name"]);
        return name === undefined ? askForName() : `echo "Hello, ${name}"`;
      },
    },
  }));
}

function nameIn(response: unknown): string | undefined {
  // What the suite's client answers to an elicitation; a shell line takes letters only.
  const name = (response as { readonly content?: { readonly name?: unknown } } | undefined)?.content?.name;
  return typeof name === "string" && /^[A-Za-z]+$/.test(name) ? name : undefined;
}

function askForName(): InputRequiredResult {
  const requestedSchema = { type: "object", properties: { name: STRING }, required: ["name"] };
  const params = { mode: "form", message: "Who are you?", requestedSchema };
  // The suite's own shape.
  return {
    resultType: "input_required",
    inputRequests: { user_name: { method: "elicitation/create", params } },
  } as unknown as InputRequiredResult;
}
