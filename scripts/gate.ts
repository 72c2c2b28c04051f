/**
 * Runs the steps of the gate, those that fail fastest first, and ends at the first failure. It prints the time of each
 * part and the slowest tests. The parts of a step run side by side. Tests see only the programs that
 * `scripts/gate/machine/prerequisites.ts` names; the full gate installs them, and begins with what needs none of them.
 *
 *   deno task ok         what a commit needs
 *   deno task ok:full    everything, as .ci/run does
 *   deno task gate:prepare   what it needs, and nothing more
 */
import { existsSync } from "node:fs";
import { slowest, type TestFailure, testFailures, type TestTime, testTimes } from "./gate/junit.ts";
import { fence } from "./gate/machine/fence.ts";
import { provide } from "./gate/machine/look_for.ts";
import { prerequisitesFor, releaseOf } from "./gate/machine/prerequisites.ts";
import { programDirectories, programIn } from "./gate/machine/program_path.ts";
import { filesToTryAgain, passedAgain, unstableText } from "./gate/second_attempt.ts";
import { say } from "./say.ts";

/** A task of deno.json, and words for it. */
type Part = readonly [task: string, ...words: string[]];

type Step = readonly Part[];

/** Most of them use one processor; the type check takes longest. */
const CHECKS: Step = [["check"], ["fmt", "--check"], ["lint"], ["schema", "--check"]];
/** They need nothing but the runtime, and begin while packages are installed. */
const WITHOUT_PACKAGES: ReadonlySet<string> = new Set([...CHECKS.map(([task]) => task), "compile"]);

/**
 * The full gate makes the executable too, which packs the program first. Its unit tests run beside the checks, which
 * leave a processor idle while the type check ends; before a commit, a failed check should not wait for them.
 */
const GATES: Readonly<Record<string, readonly Step[]>> = {
  commit: [[...CHECKS, ["bundle"]], ...inTurn(["test:unit", "test:selected", "test:tools:changed"])],
  full: [
    [...CHECKS, ["compile"], ["test:unit"]],
    ...inTurn(["test:whole", "test:executable", "test:alone"]),
  ],
  prepare: [],
};

function inTurn(tasks: readonly string[]): readonly Step[] {
  return tasks.map((task) => [[task]]);
}

const SLOWEST = 10;
const OS_RELEASE = "/etc/os-release";

/** How a part ended. */
interface Ran {
  readonly name: string;
  readonly seconds: number;
  readonly success: boolean;
  readonly tests: readonly TestTime[];
  /** The tests that passed only at a second attempt. */
  readonly unstable: readonly TestFailure[];
}

/** Options of all parts. */
interface Surroundings {
  /** For reports. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Words in front of each command. */
  readonly prefix: readonly string[];
}

/** With and without the packages that tests need. */
interface Places {
  readonly bare: Surroundings;
  /** Settles when they are installed; undefined: they cannot be. */
  readonly provided: Promise<Surroundings | undefined>;
}

/** Parts that run side by side: their output is shown when they end. */
async function runStep(step: Step, { bare, provided }: Places): Promise<readonly Ran[]> {
  const stdio = step.length === 1 ? "inherit" : "piped";
  return await Promise.all(step.map(async (part) => {
    const at = WITHOUT_PACKAGES.has(part[0]) ? bare : await provided;
    return at === undefined ? notRun(part) : await run(part, at, stdio);
  }));
}

function notRun(part: Part): Ran {
  return { name: part.join(" "), seconds: 0, success: false, tests: [], unstable: [] };
}

async function run([task, ...words]: Part, at: Surroundings, stdio: "inherit" | "piped"): Promise<Ran> {
  const startedAt = performance.now();
  const first = await attempt([task, ...words], at, { stdio });
  const files = first.success ? [] : filesToTryAgain(first.failures);
  if (files.length > 0) say(`A second attempt at ${files.join(" ")}`);
  const isUnstable = files.length > 0 && passedAgain(first.failures, await again(task, files, at));
  return {
    name: [task, ...words].join(" "),
    seconds: (performance.now() - startedAt) / 1000,
    success: first.success || isUnstable,
    tests: first.tests,
    unstable: isUnstable ? first.failures : [],
  };
}

/** Its output is shown only if it fails again. */
async function again(task: string, files: readonly string[], at: Surroundings): Promise<Attempt> {
  const environment = { ...at.environment, ...task === "test:executable" && { AHMA_TEST_FORM: "executable" } };
  return await attempt(["test:again", ...files], { ...at, environment }, { stdio: "piped", quiet: true });
}

interface Attempt {
  readonly success: boolean;
  readonly tests: readonly TestTime[];
  readonly failures: readonly TestFailure[];
}

/** `quiet`: the output of a piped part is shown only if it fails. */
async function attempt(
  [task, ...words]: Part,
  at: Surroundings,
  { stdio, quiet = false }: { readonly stdio: "inherit" | "piped"; readonly quiet?: boolean },
): Promise<Attempt> {
  const report = `${at.directory}/${task.replaceAll(":", "_")}.xml`;
  const more = task.startsWith("test:") ? [`--junit-path=${report}`] : [];
  const [program = "", ...args] = [...at.prefix, Deno.execPath(), "task", task, ...words, ...more];
  const child = new Deno.Command(program, { args, env: at.environment, stdout: stdio, stderr: stdio }).spawn();
  const texts = stdio === "piped" ? await Promise.all([child.stderr.bytes(), child.stdout.bytes()]) : [];
  const { success } = await child.status;
  if (!quiet || !success) { for (const text of texts) Deno.stdout.writeSync(text); }
  const xml = await reportAt(report);
  return { success, tests: testTimes(xml), failures: testFailures(xml) };
}

/** Empty if there is no report: the part has no tests, or did not reach them. */
async function reportAt(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

function summary(parts: readonly Ran[], total: number): string {
  const unstable = parts.flatMap((part) => part.unstable);
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
    ...unstable.length > 0 ? [unstableText(unstable)] : [],
    "",
  ].join("\n");
}

/** The parts of the gate, up to the step that fails. */
async function runGate(gate: string, steps: readonly Step[]): Promise<readonly Ran[] | undefined> {
  const release = releaseOf(existsSync(OS_RELEASE) ? await Deno.readTextFile(OS_RELEASE) : "");
  const all = prerequisitesFor({ arch: Deno.build.arch, release });
  const directories = programDirectories(Deno.env.get("PATH") ?? "");
  const program = Deno.uid() === 0 ? programIn(directories, "apt-get") : undefined;
  const installer = program === undefined ? undefined : { program, policy: "/usr/sbin/policy-rc.d" };
  const isThere = provide(gate === "commit" ? [] : all, { directories, installer, say });
  // Who cannot install is told at once.
  if ((installer === undefined || steps.length === 0) && !await isThere) return undefined;
  if (steps.length === 0) return [];
  const directory = await Deno.makeTempDir({ prefix: "ahma-gate-" });
  try {
    // With everything there, no test has a reason to be left out for what is missing, but that it needs root.
    const isWhole = gate === "full" && Deno.uid() === 0;
    if (gate === "full" && !isWhole) say("Tests that need root are left out, and say so in their names");
    // Shipped tools are tried with the runtime itself too.
    const runtime = Deno.execPath().slice(0, Deno.execPath().lastIndexOf("/"));
    const environment = { PATH: [...directories, runtime].join(":"), ...isWhole && { CI: "true" } };
    const bare: Surroundings = { directory, environment, prefix: [] };
    const provided = isThere.then(async (isProvided) =>
      isProvided ? { ...bare, prefix: await fence({ all, directories, place: directory }, say) } : undefined
    );
    const ran: Ran[] = [];
    for (const step of steps) {
      ran.push(...await runStep(step, { bare, provided }));
      if (ran.some(({ success }) => !success)) break;
    }
    return ran;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const [gate = ""] = Deno.args;
const steps = GATES[gate];
if (steps === undefined) throw new Error(`"${gate}" is no gate: give one of ${Object.keys(GATES).join(", ")}`);
const startedAt = performance.now();
const ran = await runGate(gate, steps);
if (ran !== undefined && ran.length > 0) {
  Deno.stdout.writeSync(new TextEncoder().encode(summary(ran, (performance.now() - startedAt) / 1000)));
}
Deno.exitCode = ran?.every(({ success }) => success) === true ? 0 : 1;
