import assert from "node:assert/strict";
import { failure, success } from "../../base/outcome.ts";
import { argumentValues, choicesOf } from "./argument_values.ts";
import type { PromptParameter } from "./prompt.ts";

function parameter(name: string, rest: Partial<PromptParameter> = {}): PromptParameter {
  return { name, required: false, type: "text", choices: [], ...rest };
}

const PROMPT = {
  name: "plan",
  parameters: [
    parameter("goal", { required: true }),
    parameter("file", { required: true }),
    parameter("depth", { type: "choice", choices: ["short", "long"], fallback: "short" }),
    parameter("areas", { type: "choices", choices: ["a", "b"] }),
    parameter("tests", { type: "boolean" }),
    parameter("most", { type: "number" }),
  ],
};

/** The values as an object with a prototype, or the problem. */
function values(given: Readonly<Record<string, string>>, prompt = PROMPT) {
  const found = argumentValues(prompt, given);
  return found.ok ? success({ ...found.value }) : found;
}

Deno.test("Q2 Q5 arguments become values by their types, and defaults stand for those that are missing", () => {
  assert.deepStrictEqual(values({ goal: "g", file: "f" }), success({ goal: "g", file: "f", depth: "short" }));
  const all = { goal: "g", file: "", depth: "long", areas: "a, b,", tests: "TRUE", most: "2.5" };
  assert.deepStrictEqual(
    values(all),
    success({ goal: "g", file: "", depth: "long", areas: ["a", "b"], tests: true, most: 2.5 }),
  );
});

Deno.test("Q2 a choice that holds commas can be given among others", () => {
  const choices = ["a", "b", "b, c", "d,e,f"];
  const prompt = { name: "plan", parameters: [parameter("areas", { type: "choices", choices })] };
  const found = ["b, c", " b, c,a,", "a,d,e,f,b", "b,a"].map((areas) => values({ areas }, prompt));
  assert.deepStrictEqual(
    found,
    [["b, c"], ["b, c", "a"], ["a", "d,e,f", "b"], ["b", "a"]].map((areas) => success({ areas })),
  );
  assert.ok(!values({ areas: "a,c" }, prompt).ok);
});

Deno.test("Q2 one problem names everything that is wrong, with a suggestion", () => {
  assert.deepStrictEqual(
    values({}),
    failure('Cannot render prompt "plan": required arguments "goal", "file" are missing'),
  );
  assert.deepStrictEqual(
    values({ gaol: "x", file: "f", depth: "lang", areas: "a,c", tests: "yes", most: "many" }),
    failure(
      'Cannot render prompt "plan": argument "gaol" is unknown; did you mean "goal"?; required argument "goal" is missing; ' +
        'argument "depth" must be one of short, long, found "lang"; did you mean "long"?; ' +
        'argument "areas" must be one of a, b, found "c"; ' +
        'argument "tests" must be true or false, found "yes"; argument "most" must be a number, found "many"',
    ),
  );
  assert.deepStrictEqual(
    values({ x: "1" }, { name: "bare", parameters: [] }),
    failure('Cannot render prompt "bare": argument "x" is unknown; it takes none'),
  );
  const long = values({ goal: "x".repeat(300_000), file: "f" });
  assert.deepStrictEqual(
    long,
    failure('Cannot render prompt "plan": argument "goal" has 300000 characters, at most 262144 are allowed'),
  );
  const inherited = values({ goal: "g", file: "f", toString: "x" });
  assert.match(inherited.ok ? "" : inherited.problem, /argument "toString" is unknown/);
});

Deno.test("C5 choicesOf() gives the values that an argument may have", () => {
  assert.deepStrictEqual(PROMPT.parameters.map(choicesOf), [
    undefined,
    undefined,
    ["short", "long"],
    ["a", "b"],
    ["true", "false"],
    undefined,
  ]);
});
