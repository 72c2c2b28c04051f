/** A form that a server asks a person to fill in: what clients know of it, cleaned, and no secrets (O2). Pure. */
import { specTypeSchemas } from "@modelcontextprotocol/server";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { hiddenCharacter, shorten } from "../../base/visible_text.ts";
import { isObject, member } from "../../wire/json_value.ts";
import { cleaned } from "../definitions/definition.ts";
import { asksForSecret, namesSecret } from "./secret_words.ts";

type Members = Readonly<Record<string, unknown>>;

/** Characters of a form as JSON. */
const LARGEST_FORM = 64 * 1024;

/** The schema of the form; the problem says why it is not put. A form without fields asks for an agreement only. */
export function askedForm(schema: unknown): Outcome<Members> {
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

/** Every text in a value, at any depth. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
