/** One attempt of one way at one server, and the effects it had. Exit codes and error texts do not count. */
import { processesWith } from "../../_support/processes.ts";
import type { ToolAnswer } from "../../_support/json_rpc.ts";
import { ORDINARY_ID } from "../../_support/workbench.ts";
import type { Doing, Driven, Effect, Place, Way } from "./attack.ts";
import type { ExtendedAttributes } from "../means/extended_attributes.ts";
import { holds, lookAt, plantOutside, replantOutside } from "../means/outside_tree.ts";
import { newMarker, type Post } from "./post.ts";
import type { RaceFacts } from "../races/count.ts";
import { Victim } from "../means/victim.ts";

/** An effect that was seen. */
export interface Breach {
  readonly effect: Effect;
  readonly what: string;
}

/** What an attempt came to. */
export interface Tried {
  readonly breaches: readonly Breach[];
  /** For the report of a failed control. */
  readonly text: string;
  readonly race?: RaceFacts;
}

/** An attempt to make. */
export interface Trial {
  /** Unique among the attempts at this server: names its directories. */
  readonly name: string;
  readonly way: Way;
  readonly does: Doing;
  readonly attributes: ExtendedAttributes;
  /** Whether what is a matter of chance ends early. */
  readonly brief: boolean;
  /** Of every sandboxed server of the range. */
  readonly flags: readonly string[];
}

const DEFAULT_SECONDS = 20;

/** Makes the attempt in a fresh place and takes the place down again. */
export async function attempt(post: Post, trial: Trial): Promise<Tried> {
  const { way } = trial;
  const give = (path: string) => giveTo(post, path);
  await using stack = new AsyncDisposableStack();
  const bare = newPlace(post, trial, give);
  let altered = true;
  stack.defer(() => takeDown(post, bare, altered));
  const victim = way.victim === true ? stack.use(await Victim.start(post.user, bare)) : undefined;
  const place = { ...bare, victim: victim?.pid ?? 0 };
  const undo = way.prepare?.(place, give);
  if (undo !== undefined) stack.defer(undo);
  const watched = way.watch?.(place) ?? [place.out];
  const look = () => watched.flatMap((path) => lookAt(path, trial.attributes));
  const before = look();
  const tools = await post.tools();
  const heard = post.listenFor(place.marker);
  const { answers = [], achieved, race } = await act(post, trial, place);
  const text = answers.map((answer) => answer.text).join("\n");
  const left = await processesLeft(way, place);
  const breaches = [
    ...(heard() ? [{ effect: "read" as const, what: "the secret is in what the server sent or logged" }] : []),
    ...leaks(place, [place.marker, post.marker], answers),
    ...left.map((what) => ({ effect: "left" as const, what })),
    ...differences(before, look()),
    ...harmed(await victim?.harm()),
    ...(await post.tools()) === tools ? [] : [{ effect: "tools" as const, what: "tools/list answers otherwise" }],
    ...evidence(way, { place, text, answers }),
    ...achieved === undefined ? [] : [{ effect: "evidence" as const, what: achieved }],
  ];
  // What a way prepares in it, or watches in its place, would be there for the next attempt.
  altered = way.prepare !== undefined || way.watch !== undefined || breaches.some(({ effect }) => effect !== "read");
  return { breaches, text, ...race !== undefined && { race } };
}

async function act(post: Post, { does, way, brief, flags }: Trial, place: Place): Promise<Driven> {
  if (typeof does !== "function") {
    const { user, enforced, bench, server: running } = post;
    return await does.drive({ ...place, running, bench, user, enforced, brief, flags });
  }
  const doing = does(place);
  const seconds = way.seconds ?? DEFAULT_SECONDS;
  if (typeof doing === "string") {
    const options = { working_directory: place.directory, timeout_seconds: seconds };
    return { answers: [await post.server.shell(doing, options)] };
  }
  const answers: ToolAnswer[] = [];
  for (const call of doing) answers.push(await post.server.call(call.tool, call.arguments));
  return { answers };
}

function newPlace(post: Post, { name }: Trial, give: (path: string) => void): Place {
  const { bench, server } = post;
  const marker = newMarker();
  const directory = `${bench.scope}/${name}`;
  const out = `${bench.elsewhere}/${name}`;
  Deno.mkdirSync(directory);
  give(directory);
  const unaltered = post.unaltered.pop();
  if (unaltered === undefined) plantOutside({ path: out, marker }, give);
  else replantOutside(unaltered, { path: out, marker });
  const { scope, parent, home } = bench;
  return { directory, scope, parent, out, secret: `${out}/secret`, home, server: server.pid, victim: 0, marker };
}

/** The next attempt takes over a tree outside that is as it was. */
function takeDown({ unaltered }: Post, { directory, out, marker }: Place, altered: boolean): void {
  if (!altered) unaltered.push({ path: out, marker });
  for (const path of altered ? [directory, out] : [directory]) {
    try {
      Deno.removeSync(path, { recursive: true });
    } catch (error) {
      // A control may have moved or removed it.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

function giveTo(post: Post, path: string): void {
  if (post.user !== "ordinary" || Deno.uid() !== 0) return;
  if (Deno.lstatSync(path).isSymlink) return; // whose a link is does not matter, and what it leads to is not ours
  Deno.chownSync(path, ORDINARY_ID, ORDINARY_ID);
}

/** The server's marker is looked for in this attempt's own answers: other rows are after it at the same time. */
function leaks(place: Place, markers: readonly string[], answers: readonly ToolAnswer[]): readonly Breach[] {
  const texts = answers.map(({ result }) => JSON.stringify(result));
  const told = markers.some((marker) => texts.some((text) => text.includes(marker)));
  const kept = markers.some((marker) => holds(place.directory, marker));
  return [
    ...(told ? [{ effect: "read" as const, what: "a secret is in the answer" }] : []),
    ...(kept ? [{ effect: "read" as const, what: "a secret is in the scope" }] : []),
  ];
}

async function processesLeft(way: Way, place: Place): Promise<readonly string[]> {
  if (way.aim !== "left") return [];
  return (await processesWith(place.directory)).map(({ pid, command }) => `process ${pid} is left: ${command}`);
}

function differences(before: readonly string[], after: readonly string[]): readonly Breach[] {
  const gone = before.filter((line) => !after.includes(line)).map((line) => `was ${line}`);
  const come = after.filter((line) => !before.includes(line)).map((line) => `is ${line}`);
  return [...gone, ...come].map((what) => ({ effect: "write" as const, what: what.slice(0, 300) }));
}

function harmed(what: string | undefined): readonly Breach[] {
  return what === undefined ? [] : [{ effect: "victim", what }];
}

function evidence({ evidence: judge }: Way, seen: Parameters<Exclude<Way["evidence"], RegExp | undefined>>[0]) {
  if (judge === undefined) return [];
  const what = judge instanceof RegExp ? judge.exec(seen.text)?.[0] : judge(seen);
  return what === undefined ? [] : [{ effect: "evidence" as const, what }];
}
