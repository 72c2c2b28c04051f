/**
 * Runs the steps of the gate in the order of what fails fastest, ends at the first that fails, and prints how long each
 * part took and which tests were the slowest. The parts of one step run side by side.
 *
 *   deno task ok         what a commit needs
 *   deno task ok:full    everything, as .ci/run does
 */
import { slowest, type TestTime, testTimes } from "./gate/junit.ts";
import { programPath } from "./gate/program_path.ts";

/** A task of deno.json, and words for it. */
type Part = readonly [task: string, ...words: string[]];

type Step = readonly Part[];

/** Most of them use one processor; the type check takes longest. */
const CHECKS: Step = [["check"], ["fmt", "--check"], ["lint"], ["schema", "--check"]];

/** The full gate makes the executable too, which packs the program first. */
const GATES: Readonly<Record<string, readonly Step[]>> = {
  commit: [[...CHECKS, ["bundle"]], ...inTurn(["test:unit", "test:selected", "test:tools:changed"])],
  full: [
    [...CHECKS, ["compile"]],
    ...inTurn(["test:unit", "test:whole", "test:executable", "test:alone", "test:attacks"]),
  ],
};

function inTurn(tasks: readonly string[]): readonly Step[] {
  return tasks.map((task) => [[task]]);
}

const SLOWEST = 10;

/** How a part ended. */
interface Ran {
  readonly name: string;
  readonly seconds: number;
  readonly success: boolean;
  readonly tests: readonly TestTime[];
}

/** What parts that run side by side write is shown when they end. */
async function runStep(step: Step, { directory, path }: Pick<How, "directory" | "path">): Promise<readonly Ran[]> {
  const stdio = step.length === 1 ? "inherit" : "piped";
  return await Promise.all(step.map((part) => run(part, { directory, path, stdio })));
}

interface How {
  /** For reports. */
  readonly directory: string;
  readonly path: string;
  readonly stdio: "inherit" | "piped";
}

async function run([task, ...words]: Part, { directory, path, stdio }: How): Promise<Ran> {
  const report = `${directory}/${task.replaceAll(":", "_")}.xml`;
  const more = task.startsWith("test:") ? [`--junit-path=${report}`] : [];
  const startedAt = performance.now();
  const args = ["task", task, ...words, ...more];
  const env = { PATH: path };
  const child = new Deno.Command(Deno.execPath(), { args, env, stdout: stdio, stderr: stdio }).spawn();
  if (stdio === "piped") {
    for (const text of await Promise.all([child.stderr.bytes(), child.stdout.bytes()])) Deno.stdout.writeSync(text);
  }
  const { success } = await child.status;
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

function summary(parts: readonly Ran[], total: number): string {
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
const steps = GATES[gate];
if (steps === undefined) throw new Error(`"${gate}" is no gate: give one of ${Object.keys(GATES).join(", ")}`);
const directory = await Deno.makeTempDir({ prefix: "ahma-gate-" });
const path = await programPath();
const startedAt = performance.now();
const ran: Ran[] = [];
try {
  for (const step of steps) {
    ran.push(...await runStep(step, { directory, path }));
    if (ran.some(({ success }) => !success)) break;
  }
} finally {
  await Deno.remove(directory, { recursive: true });
}
Deno.stdout.writeSync(new TextEncoder().encode(summary(ran, (performance.now() - startedAt) / 1000)));
Deno.exitCode = ran.every(({ success }) => success) ? 0 : 1;
