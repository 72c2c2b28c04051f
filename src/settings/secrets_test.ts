import assert from "node:assert/strict";
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
