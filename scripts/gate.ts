/**
 * Runs the parts of the gate in the order of what fails fastest, ends at the first that fails, and prints how long each
 * part took and which tests were the slowest.
 *
 *   deno task ok         what a commit needs
 *   deno task ok:full    everything, as .ci/run does
 */
import { slowest, type TestTime, testTimes } from "./gate/junit.ts";

/** A task of deno.json, and words for it. */
type Part = readonly [task: string, ...words: string[]];

const BEFORE: readonly Part[] = [
  ["fmt", "--check"],
  ["lint"],
  ["check"],
  ["test:unit"],
  ["schema", "--check"],
];

/** The full gate makes the executable too, which packs the program first. */
const GATES: Readonly<Record<string, readonly Part[]>> = {
  commit: [...BEFORE, ["bundle"], ["test:selected"], ["test:tools:changed"]],
  full: [...BEFORE, ["compile"], ["test:whole"], ["test:executable"], ["test:alone"], ["test:attacks"]],
};

const SLOWEST = 10;

/** How a part ended. */
interface Ran {
  readonly name: string;
  readonly seconds: number;
  readonly success: boolean;
  readonly tests: readonly TestTime[];
}

async function run([task, ...words]: Part, directory: string): Promise<Ran> {
  const report = `${directory}/${task.replaceAll(":", "_")}.xml`;
  const more = task.startsWith("test:") ? [`--junit-path=${report}`] : [];
  const startedAt = performance.now();
  const { success } = await new Deno.Command(Deno.execPath(), { args: ["task", task, ...words, ...more] }).spawn()
    .status;
  const seconds = (performance.now() - startedAt) / 1000;
  return { name: [task, ...words].join(" "), seconds, success, tests: await testsOf(report) };
}

/** Empty where there is no report: the part has no tests, or did not come to them. */
async function testsOf(report: string): Promise<readonly TestTime[]> {
  try {
    return testTimes(await Deno.readTextFile(report));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function summary(parts: readonly Ran[]): string {
  const total = parts.reduce((sum, { seconds }) => sum + seconds, 0);
  const line = (seconds: number, text: string) => `${seconds.toFixed(1).padStart(7)} s  ${text}`;
  return [
    "",
    "The slowest tests:",
    ...slowest(parts.flatMap(({ tests }) => tests), SLOWEST).map(({ seconds, name, file }) =>
      line(seconds, `${name} (${file})`)
    ),
    "",
    "The parts:",
    ...parts.map(({ seconds, name, success }) => line(seconds, success ? name : `${name} FAILED`)),
    line(total, "in all"),
    "",
  ].join("\n");
}

const [gate = ""] = Deno.args;
const parts = GATES[gate];
if (parts === undefined) throw new Error(`"${gate}" is no gate: give one of ${Object.keys(GATES).join(", ")}`);
const directory = await Deno.makeTempDir({ prefix: "ahma-gate-" });
const ran: Ran[] = [];
try {
  for (const part of parts) {
    ran.push(await run(part, directory));
    if (ran.at(-1)?.success !== true) break;
  }
} finally {
  await Deno.remove(directory, { recursive: true });
}
Deno.stdout.writeSync(new TextEncoder().encode(summary(ran)));
Deno.exitCode = ran.every(({ success }) => success) ? 0 : 1;
