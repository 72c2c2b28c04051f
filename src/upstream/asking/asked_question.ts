/** A server's question as shown to the client: named, cleaned, and refused if it is a trap (O2). Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shorten } from "../../base/visible_text.ts";
import { modeOf, type Question } from "../../service/questions/question.ts";
import { isPrivateHost } from "../../system/network/public_address.ts";
import { isObject } from "../../wire/json_value.ts";
import type { Expanded, ServerSpec } from "../config/server_spec.ts";
import { askedCompletion } from "./asked_completion.ts";
import { askedForm } from "./asked_form.ts";
import { shown } from "../definitions/definition.ts";
import { asksForSecret } from "./secret_words.ts";

/** The fields of an entry that decide what a server may ask; `url`: its address, absent for a local one. */
export type AskingServer = Pick<ServerSpec, "name" | "sampling"> & { readonly url?: Expanded };

/** Characters of the name of an address. */
const LONGEST_ID = 200;
const LONGEST_ADDRESS = 8_192;

/** The question for the client, or why it is not put. */
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

/** The name of an address for clients: several servers may give the same one. Undefined: the server gave none. */
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
