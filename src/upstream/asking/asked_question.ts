/** What a server asks of a client, as the client is shown it: named, cleaned, and refused where it is a trap (O2). Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { truncate } from "../../base/text.ts";
import { hiddenCharacter, shorten, visibleText } from "../../base/visible_text.ts";
import { modeOf, type Question } from "../../service/questions/question.ts";
import { isObject, member } from "../../wire/json_value.ts";
import type { ServerSpec } from "../config/server_spec.ts";
import { cleaned } from "../definitions/definition.ts";

const LONGEST_MESSAGE = 4096;
/** Characters of the name of an address. */
const LONGEST_ID = 200;
const LARGEST_FORM = 64 * 1024;

/** The question for the client, or why it is not put. */
export function askedQuestion(
  { name, sampling }: Pick<ServerSpec, "name" | "sampling">,
  method: string,
  params: unknown,
): Outcome<Question> {
  if (!isObject(params)) return failure("it has no parameters");
  if (method === "sampling/createMessage") {
    return sampling ? success({ method, params }) : failure('its entry does not have "sampling": true');
  }
  if (method !== "elicitation/create") return failure(`ahma_mcp does not offer ${shorten(method, 80)}`);
  const { message, url, requestedSchema } = params;
  const shown = `[${name}] ${truncate(visibleText(String(message)), LONGEST_MESSAGE)}`;
  if (modeOf(params) === "url") {
    if (typeof url !== "string" || !URL.canParse(url) || new URL(url).protocol !== "https:") {
      return failure("its address is no https:// address");
    }
    const { elicitationId, ...rest } = withoutMeta(params);
    const id = addressId(name, elicitationId);
    const known = id !== undefined && { elicitationId: id };
    return success({ method, params: { ...rest, ...known, message: shown, url: new URL(url).href } });
  }
  const problem = formProblem(requestedSchema);
  if (problem !== undefined) return failure(problem);
  return success({
    method,
    params: { ...withoutMeta(params), message: shown, requestedSchema: cleaned(requestedSchema) },
  });
}

/** The name of an address for clients: several servers may give the same one. Undefined: the server gave none. */
export function addressId(server: string, elicitationId: unknown): string | undefined {
  return typeof elicitationId === "string" ? `${server}/${shorten(elicitationId, LONGEST_ID)}` : undefined;
}

/** The metadata belongs to the request of the server, and not to ours. */
function withoutMeta(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { _meta, ...rest } = params;
  return rest;
}

function formProblem(schema: unknown): string | undefined {
  if (!isObject(schema)) return "its form has no fields";
  if (JSON.stringify(schema).length > LARGEST_FORM) return "its form is larger than 64 KiB";
  const properties = member(schema, "properties");
  const names = isObject(properties) ? Object.keys(properties) : [];
  const secret = names.find(isSecret);
  if (secret !== undefined) {
    return `its form asks for a secret (${visibleText(secret)}): a server asks for one by an address`;
  }
  return names.some((one) => hiddenCharacter(one) !== undefined) ? "its form has hidden characters" : undefined;
}

const SECRET =
  /^(key|pin)$|password|passwd|passphrase|passcode|secret|credential|(api|access|private|auth|ssh)key|token$/;

/** Whether a field has the name of a secret; a form would show it to the client, and perhaps to its model. */
function isSecret(field: string): boolean {
  return SECRET.test(field.toLowerCase().replaceAll(/[^a-z]/g, ""));
}
