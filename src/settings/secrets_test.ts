import assert from "node:assert/strict";
import { parseBinding } from "../secrets/binding.ts";
import { secretProblem } from "./secrets.ts";

const use = { kind: "git" } as const;

/** What is said of the secret TOKEN. */
function problem(
  { enforce = true, environmentNames = [], network = "names", files = [] }: {
    readonly enforce?: boolean;
    readonly environmentNames?: readonly string[];
    readonly network?: "names" | "full";
    readonly files?: readonly (readonly [string, string])[];
  } = {},
): string | undefined {
  return secretProblem({
    secrets: { bindings: [{ name: "TOKEN", hosts: [], use }], files: new Map(files), commands: new Map() },
    sandbox: { enforce, environmentNames, confinement: { network } } as Parameters<typeof secretProblem>[0]["sandbox"],
  });
}

const [OFF, ON] = [false, true];

Deno.test("S33 a secret is kept with a list of hosts in the sandbox only, and its value belongs to a secret", () => {
  assert.strictEqual(problem({ enforce: ON, files: [["TOKEN", "/f"]] }), undefined);
  assert.match(problem({ network: "full" }) ?? "", /^Cannot keep secret "TOKEN" with --network full/);
  assert.match(problem({ enforce: OFF }) ?? "", /^Cannot keep secret "TOKEN" without the sandbox/);
  assert.match(problem({ environmentNames: ["TOKEN"] }) ?? "", /^Cannot keep secret "TOKEN": --env hands it/);
  assert.match(problem({ files: [["LOST", "/f"]] }) ?? "", /^Cannot use the value of secret "LOST"/);
  assert.match(problem({ files: [["TOKEN", "f"]] }) ?? "", /^Cannot use "f" as the file of a secret/);
});

Deno.test("S33 git has one secret for each host and port", () => {
  const problemOf = (...texts: readonly string[]) => {
    const bindings = texts.map((text) => {
      const parsed = parseBinding(text);
      assert.ok(parsed.ok);
      return parsed.value;
    });
    return secretProblem({
      secrets: { bindings, files: new Map(), commands: new Map() },
      sandbox: { enforce: ON, environmentNames: [], confinement: { network: "names" } } as unknown as Parameters<
        typeof secretProblem
      >[0]["sandbox"],
    });
  };
  assert.match(
    problemOf("ONE=a.example,b.example:git", "TWO=b.example:git") ?? "",
    /^Cannot use secret "TWO" for git at b\.example: git sends secret "ONE" there/,
  );
  for (const other of ["TWO=b.example:git", "TWO=a.example", "TWO=a.example:8443:git", "ONE=a.example:git"]) {
    assert.strictEqual(problemOf("ONE=a.example:git", other), undefined, other);
  }
});
