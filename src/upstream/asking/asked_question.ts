/** A server's question as the client sees it: named, cleaned, and refused if it is a trap or asks for a secret (O2). Pure. */
import { type CreateMessageRequestParams, specTypeSchemas } from "@modelcontextprotocol/server";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { hiddenCharacter, shorten } from "../../base/visible_text.ts";
import { modeOf, type Question } from "../../service/questions/question.ts";
import { isPrivateHost } from "../../system/network/public_address.ts";
import { isObject, member, textsIn } from "../../wire/json_value.ts";
import type { Expanded, ServerSpec } from "../config/server_spec.ts";
import { cleaned, shown } from "../definitions/definition.ts";
import { withOurUris } from "../definitions/foreign_uri.ts";
import { asksForSecret, namesSecret } from "./secret_words.ts";

/** The fields of an entry that decide what a server may ask; `url`: its address, absent for a local one. */
export type AskingServer = Pick<ServerSpec, "name" | "sampling"> & { readonly url?: Expanded };

type Members = Readonly<Record<string, unknown>>;

/** Characters of a form as JSON. */
const LARGEST_FORM = 64 * 1024;
/** Characters of the name of an address. */
const LONGEST_ID = 200;
const LONGEST_ADDRESS = 8_192;

/** The question for the client, or why it is not asked. */
export function askedQuestion(server: AskingServer, method: string, params: unknown): Outcome<Question> {
  if (!isObject(params)) return failure("it has no parameters");
  if (method === "sampling/createMessage") {
    if (!server.sampling) return failure('its entry does not have "sampling": true');
    const asked = askedCompletion(server.name, params);
    return asked.ok ? success({ method, params: asked.value }) : asked;
  }
  if (method !== "elicitation/create") return failure(`ahma_mcp does not offer ${shorten(method, 80)}`);
  const { message: given, requestedSchema, mode } = params;
  if (typeof given !== "string") return failure("it has no message");
  const text = shown(given);
  const message = `[${server.name}] ${text}`;
  if (modeOf(params) === "url") return askedAddress(server, params, message);
  if (modeOf(params) !== "form") return failure("its mode is neither a form nor an address");
  if (asksForSecret(text)) return failure("its message asks for a secret: a server asks for one by an address");
  const form = askedForm(requestedSchema);
  if (!form.ok) return form;
  return success({ method, params: { ...mode !== undefined && { mode }, message, requestedSchema: form.value } });
}

/** The id of an address for clients, made unique because several servers may give the same one. Undefined: the server gave none. */
export function addressId(server: string, elicitationId: unknown): string | undefined {
  return typeof elicitationId === "string" ? `${server}/${shorten(elicitationId, LONGEST_ID)}` : undefined;
}

/** An address that the person is to open. */
function askedAddress(
  server: AskingServer,
  { url: given, elicitationId }: Question["params"],
  message: string,
): Outcome<Question> {
  const url = typeof given === "string" && given.length <= LONGEST_ADDRESS && URL.canParse(given)
    ? new URL(given)
    : undefined;
  if (url?.protocol !== "https:") return failure("its address is not an https:// address");
  if (url.username !== "" || url.password !== "") return failure("its address has a user name in it");
  const isInside = server.url !== undefined && isPrivateHost(new URL(server.url.text).hostname);
  if (!isInside && isPrivateHost(url.hostname)) {
    return failure(`its address leads to this machine or a private network (${shorten(url.host)})`);
  }
  const id = addressId(server.name, elicitationId);
  const params = { mode: "url", message, url: url.href, ...id !== undefined && { elicitationId: id } };
  return success({ method: "elicitation/create", params });
}

/** The schema of the form; the problem says why it is not shown. A form without fields asks only for consent. */
function askedForm(schema: unknown): Outcome<Members> {
  if (!isObject(schema)) return failure("it has no form");
  if (JSON.stringify(schema).length > LARGEST_FORM) return failure("its form is larger than 64 KiB");
  const { properties: given = {}, required } = schema;
  if (!isObject(given)) return failure("its form has no fields");
  const fields: [string, unknown][] = [];
  for (const [name, definition] of Object.entries(given)) {
    const field = askedField(name, cleaned(definition));
    if (!field.ok) return field;
    fields.push([name, field.value]);
  }
  const properties = Object.fromEntries(fields);
  const names = (Array.isArray(required) ? required : []).filter((name) => Object.hasOwn(properties, String(name)));
  return success({ type: "object", properties, ...names.length > 0 && { required: names.map(String) } });
}

function askedField(name: string, definition: unknown): Outcome<unknown> {
  if (hiddenCharacter(name) !== undefined) return failure("its form has hidden characters");
  const title = member(definition, "title");
  const isSecret = namesSecret(name) || typeof title === "string" && namesSecret(title);
  if (isSecret || textsIn(definition).some(asksForSecret)) {
    return failure(`its form asks for a secret (${shorten(name)}): a server asks for one by an address`);
  }
  const known = specTypeSchemas.PrimitiveSchemaDefinition["~standard"].validate(definition);
  if (known.issues === undefined) return success(known.value);
  return failure(`its form has a field that is neither text, number, yes or no, nor a choice (${shorten(name)})`);
}

/** The client's parameters, with our addresses. `includeContext` goes: it would give other servers' context. */
function askedCompletion(server: string, params: unknown): Outcome<Members> {
  const known = specTypeSchemas.CreateMessageRequestParams["~standard"].validate(params);
  if (known.issues !== undefined) return failure("its request is not one for a completion");
  const { messages, tools, _meta, task: _task, includeContext: _context, ...rest } = known.value;
  const sent = {
    ...rest,
    messages: messages.map(({ role, content }) => ({ role, content: contentOf(server, content) })),
    ...tools !== undefined && {
      tools: tools.map(({ name, title, description, inputSchema, annotations }) => ({
        name,
        title,
        description,
        inputSchema,
        annotations,
      })),
    },
  };
  return success(cleaned(sent) as Members); // an object, and stays one
}

type Content = CreateMessageRequestParams["messages"][number]["content"];

function contentOf(server: string, content: Content): unknown {
  return Array.isArray(content) ? content.map((block) => blockOf(server, block)) : blockOf(server, content);
}

function blockOf(server: string, { _meta, ...block }: Exclude<Content, readonly unknown[]>): unknown {
  if (block.type !== "tool_result") return block;
  return { ...block, content: block.content.map((part) => withOurUris(server, part)) };
}
