/** docs/requirements.md and the tests agree: no cited id without a sentence, no sentence without a test. */
import assert from "node:assert/strict";
import { commentsOf, filesUnder, ROOT, testNames } from "./_support/repository.ts";
import { citedIds, parseRequirements } from "./_support/requirements.ts";

const MOST_WORDS = 25;
const REQUIREMENTS = parseRequirements(await Deno.readTextFile(new URL("docs/requirements.md", ROOT)));
const IDS: ReadonlySet<string> = new Set(REQUIREMENTS.map(({ id }) => id));
const FILES = (await Promise.all(["src/", "scripts/", "tests/"].map(filesUnder))).flat();

/** Test files import others of tests/, which have tests as well; attacks are named by their rows. */
const IN_TEST_NAMES = FILES.filter(({ path }) => path.endsWith("_test.ts") || /^tests\/(?!attacks\/)/.test(path))
  .flatMap(({ path, text }) => testNames(text).flatMap(citedIds).map((id) => ({ id, path })));

/** The attack catalogue numbers its rows with letters of its own. */
const IN_COMMENTS = FILES.filter(({ path }) => !path.startsWith("tests/attacks/"))
  .flatMap(({ path, text }) => commentsOf(text).flatMap(citedIds).map((id) => ({ id, path })));

Deno.test("parseRequirements() reads rows under their headings, and refuses a line of another form", () => {
  const row = '| <a id="X5a"></a>X5a | It is so. |';
  const text = `## X: Execution\n\n| id | requirement |\n| --- | --- |\n${row}\n`;
  assert.deepStrictEqual(parseRequirements(text), [{ id: "X5a", sentence: "It is so.", heading: "X" }]);
  for (const wrong of ["| X5a | It is so. |", row.replace(">X5a", ">X5b"), '| <a id="X5a"></a>X5a |']) {
    assert.throws(() => parseRequirements(text + wrong), /No row of a requirement/, wrong);
  }
});

Deno.test("citedIds() finds ids with their parts, and no row of the attack catalogue", () => {
  assert.deepStrictEqual(citedIds("X5a S18 a name (H6, N3) of C01, U+0080 and F04"), ["X5a", "S18", "H6", "N3"]);
});

Deno.test(`requirements: each id stands once, below its letter, with one sentence of at most ${MOST_WORDS} words`, () => {
  assert.deepStrictEqual(REQUIREMENTS.map(({ id }) => id), [...IDS], "ids that stand twice");
  const misplaced = REQUIREMENTS.filter(({ id, heading }) => !id.startsWith(heading));
  const wordy = REQUIREMENTS.filter(({ sentence }) => {
    return !/^[A-Z`].*\.$/.test(sentence) || sentence.split(" ").length > MOST_WORDS;
  });
  assert.deepStrictEqual({ misplaced, wordy }, { misplaced: [], wordy: [] });
});

Deno.test("requirements: each id that a test name or a comment cites has its sentence", () => {
  const unknown = [...IN_TEST_NAMES, ...IN_COMMENTS].filter(({ id }) => !IDS.has(id));
  assert.deepStrictEqual(unknown, []);
});

Deno.test("requirements: each sentence is proved by a test that names its id", () => {
  const proved = new Set(IN_TEST_NAMES.map(({ id }) => id));
  assert.deepStrictEqual(REQUIREMENTS.filter(({ id }) => !proved.has(id)), []);
});
