/**
 * Answers `initialize` without the SDK, because loading it takes longer than the rest of the start (N3). Only a request
 * of a known shape is answered; any other line goes to the SDK. The SDK's later answer is byte for byte the same and is
 * dropped (stdio_transport.ts).
 */
import { attempt } from "../../base/errors.ts";
import { instructionsOf } from "../result/listed_texts.ts";
import type { Service } from "../service.ts";
import { isObject } from "../../wire/json_value.ts";
import { parseBounded } from "../../wire/message_reader.ts";
import type { WireId } from "../../wire/json_rpc_message.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { knownTo } from "../sdk/client_link.ts";

export interface FirstAnswer {
  /** The id of the request. */
  readonly id: WireId;
  /** One line, without its end. */
  readonly text: string;
  /** Name and version of the client. */
  readonly client: string;
}

/** Versions that begin with `initialize`; the answer repeats the version. */
const VERSIONS: readonly unknown[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/** Longer lines are left to the SDK. */
const LONGEST_ID = 100;

type Object = Readonly<Record<string, unknown>>;
/** Requests that are answered without the SDK. A record means an object, which may have other members. */
type Form = "object" | "objects" | "text" | "flag" | { readonly [member: string]: Form };

const CLIENT: Form = { title: "text", websiteUrl: "text", description: "text" };
const CAPABILITIES: Form = {
  experimental: "objects",
  extensions: "objects",
  sampling: { context: "object", tools: "object" },
  elicitation: { form: { applyDefaults: "flag" }, url: "object" },
  roots: { listChanged: "flag" },
  tasks: {
    list: "object",
    cancel: "object",
    requests: { sampling: { createMessage: "object" }, elicitation: { create: "object" } },
  },
};

/** The answer to a line; undefined: it is not an `initialize` of a known shape. Pure. */
export function firstAnswer(service: Service, line: Uint8Array): FirstAnswer | undefined {
  const message = parsed(line);
  if (!isObject(message) || !hasOnly(message, ["jsonrpc", "id", "method", "params"])) return undefined;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== "2.0" || method !== "initialize" || !isId(id)) return undefined;
  if (!isObject(params) || !hasOnly(params, ["protocolVersion", "capabilities", "clientInfo"])) return undefined;
  const { protocolVersion, capabilities, clientInfo } = params;
  if (!VERSIONS.includes(protocolVersion) || !hasKnownForm(capabilities)) return undefined;
  if (!isKnownClient(clientInfo)) return undefined;
  const result = {
    protocolVersion,
    capabilities: knownTo(String(protocolVersion), capabilitiesOf(service, "2025-11-25")),
    serverInfo: service.info,
    instructions: instructionsOf(service),
  };
  const { name, version } = clientInfo;
  return { id, text: JSON.stringify({ result, jsonrpc, id }), client: `${name} ${version}`.trim() };
}

/** Also undefined for keys with a special meaning in JavaScript objects. */
function parsed(line: Uint8Array): unknown {
  const text = attempt(TypeError, () => new TextDecoder("utf-8", { fatal: true }).decode(line));
  const read = text === undefined || text.includes("__proto__") ? undefined : parseBounded(text);
  return read?.ok === true ? read.value : undefined;
}

function isId(id: unknown): id is WireId {
  return typeof id === "string" ? id.length <= LONGEST_ID : Number.isSafeInteger(id);
}

/** Whether a value is a client of a known shape. */
export function isKnownClient(client: unknown): client is Readonly<Record<"name" | "version", string>> {
  if (!isObject(client) || "icons" in client || !has(client, CLIENT)) return false;
  return typeof client["name"] === "string" && typeof client["version"] === "string";
}

/** Whether a value is a client's capabilities of a known shape. */
export function hasKnownForm(capabilities: unknown): boolean {
  return has(capabilities, CAPABILITIES);
}

function has(value: unknown, form: Form): boolean {
  switch (form) {
    case "text":
      return typeof value === "string";
    case "flag":
      return typeof value === "boolean";
    case "object":
      return isObject(value);
    case "objects":
      return isObject(value) && Object.values(value).every(isObject);
    default:
      return isObject(value) && Object.entries(form).every(([name, one]) => !(name in value) || has(value[name], one));
  }
}

function hasOnly(value: Object, names: readonly string[]): boolean {
  return Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));
}
