import assert from "node:assert/strict";
import { slowest, testFailures, testTimes } from "./junit.ts";

Deno.test("testTimes() reads what deno test writes: names as they are, steps left out", async () => {
  const directory = await Deno.makeTempDir({ prefix: "ahma-test-" });
  try {
    const names = [`a < b & "c" > 'd'`, "x > y", "with steps"];
    await Deno.writeTextFile(
      `${directory}/some_test.ts`,
      `for (const name of ${JSON.stringify(names)}) {
         Deno.test(name, async (t) => void await t.step("one", async (t) => void await t.step("two", () => {})));
       }
       Deno.test({ name: "ignored", ignore: 1 > 0, fn: () => {} });`,
    );
    const args = ["test", "--no-config", "--no-check", "--junit-path=report.xml", "some_test.ts"];
    const { success } = await new Deno.Command(Deno.execPath(), { args, cwd: directory }).output();
    assert.ok(success);
    const tests = testTimes(await Deno.readTextFile(`${directory}/report.xml`));
    assert.deepStrictEqual(
      tests.map(({ name, file }) => [name, file]),
      [...names, "ignored"].map((name) => [name, "some_test.ts"]),
    );
    assert.ok(tests.every(({ seconds }) => Number.isFinite(seconds)));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("testFailures() gives the tests that failed with their words, steps left out", async () => {
  const directory = await Deno.makeTempDir({ prefix: "ahma-test-" });
  try {
    await Deno.writeTextFile(
      `${directory}/some_test.ts`,
      `Deno.test("passes", () => {});
       Deno.test("fails", () => { throw new Error("allowed <1>"); });
       Deno.test("with steps", async (t) => void await t.step("one", () => { throw new Error("one"); }));`,
    );
    const args = ["test", "--no-config", "--no-check", "--junit-path=report.xml", "some_test.ts"];
    const { success } = await new Deno.Command(Deno.execPath(), { args, cwd: directory }).output();
    assert.ok(!success);
    const failures = testFailures(await Deno.readTextFile(`${directory}/report.xml`));
    assert.deepStrictEqual(failures.map(({ name, file }) => [name, file]), [
      ["fails", "some_test.ts"],
      ["with steps", "some_test.ts"],
    ]);
    assert.match(failures[0]?.text ?? "", /^Error: allowed <1>/);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("testTimes() gives nothing for a report without tests", () => {
  assert.deepStrictEqual(testTimes('<?xml version="1.0"?>\n<testsuites name="deno test" tests="0"></testsuites>'), []);
});

Deno.test("slowest() gives the tests that took longest, the slowest first", () => {
  const tests = [1, 3, 2].map((seconds) => ({ name: `t${seconds}`, file: "a.ts", seconds }));
  assert.deepStrictEqual(slowest(tests, 2).map(({ name }) => name), ["t3", "t2"]);
  assert.deepStrictEqual(slowest(tests, 9).map(({ name }) => name), ["t3", "t2", "t1"]);
});
