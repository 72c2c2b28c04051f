/**
 * A race: a hostile command moves things in the scope while hundreds of commands are launched, and each of these tries to
 * get outside. The control is a program outside the sandbox that names a path twice: it is led astray.
 */
import { compile } from "../../_support/kernel/compiled.ts";
import { until, withDeadline } from "../../_support/deadline.ts";
import { copyProgram, exists, Workbench } from "../../_support/workbench.ts";
import { asUser } from "../means/as_user.ts";
import type { Driven, Place, Scene, Way } from "../frame/attack.ts";
import { Count, type Enough } from "./count.ts";
import type { Field, Session, StartSessions } from "./sessions.ts";

/** What a race is run with. Paths are relative to the outer scope. */
export interface Race {
  /** Makes the tree, all of it the user's; `x/y` must be in it. */
  readonly make: (field: Field) => void;
  /** The mover's steps (race.c), in words. */
  readonly moves: string;
  /** Where each launch looks for what is outside. */
  readonly places: readonly string[] | ((field: Field) => readonly string[]);
  /** What each launch tries outside: to read, to write, to change modes and times. Default: all of it. */
  readonly tries?: "rw";
  /** What is moved does not exist for the launched commands: the test looks at it, not they. */
  readonly unseen?: true;
  /** The working directory of each launch; absent: the session's. */
  readonly directory?: string;
  readonly sessions: StartSessions;
  /** Tried with `--races` only: another way of its row takes the same path through the launcher. */
  readonly extended?: true;
  readonly machine?: () => string | undefined;
  /** Why it has no control; absent: it has one. */
  readonly noControl?: string;
  /** How many launches are enough for the tests, where each costs more; absent: as many as for the others. */
  readonly fewLaunches?: number;
}

/** What a race needs before it ends. Every launch is a chance to get outside, so `deno task attacks` takes more of them. */
const ENOUGH = {
  long: { launches: 300, ran: 100, moves: 300 },
  /** The tests: a hole that one launch in thirty finds shows in 96 runs of 100. */
  brief: { launches: 100, ran: 50, moves: 100 },
} satisfies Readonly<Record<string, Enough>>;
/** Calls under way at the same time. */
const ABREAST = 4;
const DEADLINE = 600_000;
/** The program of the moves, in the scope. */
export const PROGRAM = "race";

/** The way of a row that is a race. */
export function raced(race: Race): Way {
  return {
    does: { drive: (scene) => launchesMeanwhile(scene, race) },
    ...race.noControl === undefined
      ? { control: { drive: (scene: Scene) => ledAstray(scene, race) } }
      : { noControl: race.noControl },
    prepare: plantTargets,
    needs: { programs: ["gcc"], ...race.machine !== undefined && { machine: race.machine } },
    ...race.extended === true && { extended: "races" },
  };
}

/** `y` outside: with the secret, and with what a launch tries to write and to change. */
export function plantTargets({ out, marker }: Place, give: (path: string) => void): void {
  const files: Readonly<Record<string, string>> = { secret: `${marker}\n`, written: "", changed: "" };
  Deno.mkdirSync(`${out}/y`);
  for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${out}/y/${name}`, text);
  for (const path of [`${out}/y`, ...Object.keys(files).map((name) => `${out}/y/${name}`)]) give(path);
}

async function launchesMeanwhile(scene: Scene, race: Race): Promise<Driven> {
  using field = await newField(scene, race);
  await using stack = new AsyncDisposableStack();
  const { mover, launches, program, again } = await race.sessions(field, stack);
  // A session's process may begin with its first call.
  await launches.call("sandboxed_shell", { command: "true", execution_mode: "Synchronous" });
  const command = `exec ./${PROGRAM} move ${race.moves}`;
  const options = { working_directory: field.scope, execution_mode: "AsyncResultPush", timeout_seconds: 600 };
  await mover.call("sandboxed_shell", { command, ...options });
  await until(() => movesIn(field) > 0, 20_000, "the first move");
  const few = race.fewLaunches ?? ENOUGH.brief.launches;
  const enough = scene.brief ? { ...ENOUGH.brief, launches: few, ran: few / 2 } : ENOUGH.long;
  const count = await launchAll(field, { race, program, session: launches, enough });
  await Deno.writeTextFile(`${field.scope}/stop`, "");
  return { answers: count.answers, achieved: count.achieved, race: { ...count.facts, again: again?.() } };
}

/** Launches until there were enough, and enough moves between the first and the last of them. */
async function launchAll(
  field: Field,
  { race, program, session, enough }: {
    readonly race: Race;
    readonly program: string;
    readonly session: Session;
    readonly enough: Enough;
  },
): Promise<Count> {
  const count = new Count();
  const before = movesIn(field);
  const end = performance.now() + DEADLINE;
  const { directory } = race;
  const places = typeof race.places === "function" ? race.places(field) : race.places;
  const options = directory === undefined ? {} : { working_directory: `${field.scope}/${directory}` };
  const command = `exec ${program} probe ${field.scope}/x ${race.tries ?? "rwc"} ${places.join(" ")}`;
  const work = async () => {
    while (!count.isEnough(enough)) {
      if (performance.now() > end) throw new Error(`It took too long: ${JSON.stringify(count.facts)} ${count.refusal}`);
      const answer = await session.call("sandboxed_shell", { command, execution_mode: "Synchronous", ...options });
      count.add(answer, movesIn(field) - before, race.unseen && movedInode(field));
    }
  };
  await Promise.all(Array.from({ length: ABREAST }, work));
  return count;
}

/** The program that looks at `x/y` and then uses it by name, while the same things move. */
async function ledAstray(scene: Scene, race: Pick<Race, "make" | "moves">): Promise<Driven> {
  using field = await newField(scene, race);
  const { scope } = field;
  const path = `${scope}/x/y`;
  const inode = String((await Deno.stat(path)).ino);
  const run = (...words: readonly string[]) => {
    const [command, ...args] = asUser(scene.user, [`${scope}/${PROGRAM}`, ...words]);
    return new Deno.Command(command, { args, cwd: scope, stdin: "null", stdout: "piped", stderr: "piped" }).spawn();
  };
  const mover = run("move", ...race.moves.split(" "));
  try {
    await until(() => movesIn(field) > 0, 20_000, "the first move");
    const { stdout } = await withDeadline(run("twice", path, inode, path, "60").output(), 90_000, "the stand-in");
    const text = new TextDecoder().decode(stdout);
    return { achieved: /^astray after \d+ tries$/m.exec(text)?.[0] };
  } finally {
    await Deno.writeTextFile(`${scope}/stop`, "");
    await mover.output();
  }
}

export async function newField(scene: Scene, race: Pick<Race, "make">): Promise<Field & Disposable> {
  const bench = new Workbench(scene.user);
  const field = { bench, scope: bench.scope, out: scene.out };
  race.make(field);
  await copyProgram(await compiled(scene), `${bench.scope}/${PROGRAM}`);
  return { ...field, [Symbol.dispose]: () => bench[Symbol.dispose]() };
}

/** The program, compiled once for all races of a server's bench. */
async function compiled({ parent }: Scene): Promise<string> {
  const path = `${parent}/${PROGRAM}`;
  if (exists(path)) return path;
  // Another race may do the same now.
  await Deno.rename(await compile("../../attacks/races/race.c", `${path}-${crypto.randomUUID()}`), path);
  return path;
}

/** What bears the moved name at this moment. */
function movedInode({ scope }: Field): string {
  return String(Deno.lstatSync(`${scope}/x`).ino);
}

/** How many steps the mover has done. */
export function movesIn({ scope }: Field): number {
  try {
    const bytes = Deno.readFileSync(`${scope}/moves`);
    return Number(new BigUint64Array(bytes.buffer, 0, Math.floor(bytes.length / 8))[0] ?? 0);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}
