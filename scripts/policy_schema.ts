/** The JSON Schema of a machine's policy, made from the table of flags (S37). */
import type { Flag } from "../src/settings/flags/flag.ts";
import { type FlagName, flagNamed } from "../src/settings/flags/flags.ts";
import { KEYS } from "../src/settings/flags/settings_block.ts";
import { FORBIDDABLE, UNFORCED } from "../src/settings/policy/policy.ts";

type Schema = Readonly<Record<string, unknown>>;

const TEXT = { type: "string", minLength: 1 } as const;

/** The text of the published file. */
export function policySchemaText(): string {
  const keys = [...KEYS];
  const profile = block(keys.filter(([, name]) => name !== "profile"), valueOf);
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The policy of a machine for ahma_mcp (/etc/ahma/policy.json)",
    type: "object",
    properties: {
      $schema: { type: "string" },
      forbid: {
        description: "Flags that may be given nowhere.",
        type: "array",
        items: { enum: FORBIDDABLE },
      },
      force: {
        description: "Values that hold everywhere: the most that may be given where values have an order.",
        ...block(keys.filter(([, name]) => !UNFORCED.includes(name)), forcedValueOf),
      },
      profiles: {
        description: "Named settings for --profile.",
        type: "object",
        propertyNames: { pattern: "^[A-Za-z0-9_.-]{1,64}$" },
        additionalProperties: profile,
      },
      support: {
        description: "One line that every refusal ends with.",
        ...TEXT,
        maxLength: 500,
        pattern: "^[^\\r\\n]*$",
      },
    },
    additionalProperties: false,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function block(keys: readonly (readonly [string, FlagName])[], schemaOf: (flag: Flag) => Schema): Schema {
  const properties = keys.map(([key, name]) => {
    const flag = flagNamed(name);
    return [key, { description: flag.help, ...schemaOf(flag) }];
  });
  return { type: "object", properties: Object.fromEntries(properties), additionalProperties: false };
}

/** A switch can be forbidden, but not forced off. */
function forcedValueOf(flag: Flag): Schema {
  return flag.value === "none" ? { const: true } : valueOf(flag);
}

function valueOf({ value, choices, range, repeatable }: Flag): Schema {
  if (value === "none") return { type: "boolean" };
  const [minimum, maximum] = range ?? [];
  const bounds = range === undefined ? {} : { minimum, maximum };
  if (value === "count") return { type: "integer", ...bounds };
  if (value === "number") return { type: "number", ...bounds };
  if (value === "limit") return { type: ["integer", "string"] };
  const one = choices === undefined ? TEXT : { enum: choices };
  return repeatable === true || value === "network"
    ? { anyOf: [one, { type: "array", items: one, minItems: 1 }] }
    : one;
}
