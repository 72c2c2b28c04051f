// ahma rule ignore *
import assert from "node:assert/strict";
import { findPlaces } from "../engine/match_text.ts";
import { readRule } from "./read_rule.ts";
import { BUNDLED_RULES } from "./load_rules.ts";

const KEY = `${"MIIEvQ".repeat(10)}\n`;

/** For each rule of the program what it finds, and what it must leave alone; texts are put together, so that no scanner finds them. */
const FIXTURES: Readonly<Record<string, readonly [failing: readonly string[], passing: readonly string[]]>> = {
  "private-key": [
    [
      "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n" + KEY,
      "-----BEGIN PRIVATE KEY-----\n" + KEY,
      'key: "-----BEGIN PRIVATE KEY-----\\n' + KEY,
      "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n" + KEY,
    ],
    ["-----BEGIN PUBLIC KEY-----\n" + KEY, "text.startsWith('-----BEGIN PRIVATE KEY-----')"],
  ],
  "service-token": [
    ['key = "AKIA' + 'ABCDEFGHIJKLMNOP"', "token: ghp_" + "a".repeat(36), "xoxb-" + "1".repeat(24)],
    ["AKIA", 'Deno.env.get("GITHUB_TOKEN")', "ghp_short"],
  ],
  "tls-unchecked": [
    ["agent({ rejectUnauthorized: false })", "requests.get(url, verify=False)", "curl -sS -k https://x"],
    ["rejectUnauthorized: true", "verify=certificate", "curl -sS https://x/-k"],
  ],
  "shell-from-text": [
    ["exec(`rm ${name}`)", 'os.system(f"rm {name}")', 'subprocess.run(f"rm {name}", shell=True)'],
    ["exec(`ls`)", 'os.system("ls")', 'subprocess.run(["rm", name])', "pattern.exec(text)", "db.exec(`${TABLE}`)"],
  ],
  "merge-conflict": [["<<<<<<< HEAD", ">>>>>>> work"], ["<<<<<<<", "=======", " <<<<<<< HEAD", "cat <<EOF"]],
  "focused-test": [["  it.only('x', f)", "Deno.test.only(f)", "fdescribe('x', f)"], [
    "it('x', f)",
    "it.skip('x')",
    "benefit()",
  ]],
  "debugger-left": [["  debugger;", "breakpoint()", "import pdb", "  binding.pry"], [
    "// debugger;",
    "debugger_port = 1",
  ]],
};

Deno.test("K8 each bundled rule finds its failing fixture and leaves its passing one alone", async () => {
  const reads = await Promise.all(BUNDLED_RULES.map(readRule));
  assert.deepEqual(reads.flatMap(({ diagnostics }) => diagnostics), []);
  const reviews = reads.filter(({ rule }) => rule?.engine.kind === "review").map(({ rule }) => rule?.name);
  assert.deepEqual(reviews, ["hostile-input", "misleading-words", "swallowed-error"]);
  const tried = reads.flatMap(({ rule }) => {
    const fixture = FIXTURES[rule?.name ?? ""];
    const engine = rule?.engine;
    if (rule === undefined || engine?.kind !== "match" || fixture === undefined) return [];
    const [failing, passing] = fixture;
    assert.deepEqual(failing.filter((text) => findPlaces(text, engine).length === 0), [], rule.name);
    assert.deepEqual(passing.filter((text) => findPlaces(text, engine).length > 0), [], rule.name);
    return [rule.name];
  });
  assert.deepEqual(tried.toSorted(), Object.keys(FIXTURES).toSorted());
  assert.equal(tried.length + reviews.length, BUNDLED_RULES.length);
});

Deno.test("K8 every file of rules/ is inside the program", async () => {
  const names = (await Array.fromAsync(Deno.readDir(new URL("../../../../rules/", import.meta.url)))).map(({ name }) =>
    name
  );
  assert.deepEqual(names.toSorted(), BUNDLED_RULES.map(({ file }) => file));
});
