/** Runs one row as one user: each way in the sandbox, where it must have no effect, and without, where it must. */
import { missingPrograms } from "../../_support/programs_at_hand.ts";
import type { User } from "../../_support/workbench.ts";
import type { Attack, Effect, Needs, Row, Way } from "./attack.ts";
import { attempt, type Breach, type Tried } from "./attempt.ts";
import { AWAITED } from "./awaited.ts";
import { installable } from "./machine.ts";
import type { Post } from "./post.ts";
import type { RaceFacts } from "../races/count.ts";
import type { Kind, Range } from "./range.ts";
import { type ResidualRisk, residualRisk } from "./residual_risks.ts";

/** What a row came to. */
export type Verdict =
  /** No way had any effect, and every control had its own. */
  | "denied"
  /** It had an effect that is not among the residual risks. */
  | "allowed"
  /** It had an effect that docs/security.md owns up to. */
  | "residual risk"
  | "not applicable"
  /** The attack has no effect without the sandbox either, so its denial shows nothing. */
  | "control failed"
  /** The attempt could not be judged: a server died or did not answer. */
  | "broken"
  /** A program is missing that could be installed, where it must be (CI). */
  | "program missing";

export interface RowResult {
  readonly id: string;
  readonly title: string;
  readonly user: User;
  readonly verdict: Verdict;
  /** What was seen, or why nothing was tried; empty for a plain denial. */
  readonly why: readonly string[];
  /** The limit that docs/security.md tells of, if the row is allowed. */
  readonly risk?: ResidualRisk;
  /** How many ways were tried. */
  readonly ways: number;
  /** The ways that were races, in numbers. */
  readonly races: readonly RaceResult[];
}

/** A way that was a race. */
export interface RaceResult extends RaceFacts {
  readonly way: string;
}

/** Where a row is tried; a `Range` is one. */
export type Servers = Pick<
  Range,
  "user" | "attributes" | "flags" | "prefix" | "extended" | "brief" | "controlledBy" | "shared" | "post" | "renew"
>;

/** Ways of one row that are tried at the same time. */
const ABREAST = 3;

interface WayResult {
  readonly verdict: Verdict;
  readonly why?: string;
  /** It had other effects than the one the row is about. */
  readonly beyond?: boolean;
  readonly race?: RaceResult;
}

/** The row's verdict as the range's user. */
export async function runAttack(row: Row, range: Servers): Promise<RowResult> {
  const about = { id: row.id, title: row.title, user: range.user };
  if ("notApplicable" in row) {
    return { ...about, verdict: "not applicable", why: [row.notApplicable], ways: 0, races: [] };
  }
  if (!row.users.includes(range.user)) {
    const reason = `only ${row.users.join(" and ")} can try it`;
    return { ...about, verdict: "not applicable", why: [reason], ways: 0, races: [] };
  }
  const ways = Object.entries(row.ways)
    .map(([name, way]): readonly [string, Way] => [name, typeof way === "function" ? { does: way } : way])
    .filter(([, way]) => isTried(way, range));
  const results = await abreast(ways, ([name, full], index) => {
    return tryOrTell(row, { ...full, aim: full.aim ?? row.aim }, { name, index, range });
  });
  const verdict = worst(results.map((result) => result.verdict));
  const why = results.map(({ why }) => why).filter((text) => text !== undefined);
  const tried = results.filter((result) => result.verdict !== "not applicable").length;
  const risk = residualRisk(row.id, { refused: range.prefix.length > 0 });
  const known = results.every(({ beyond }) => beyond !== true);
  return {
    ...about,
    verdict: known && verdict === "allowed" && risk !== undefined ? "residual risk" : verdict,
    ...risk !== undefined && { risk },
    why: [...why, ...remarks(row.id, verdict)],
    ways: tried,
    races: results.map(({ race }) => race).filter((race) => race !== undefined),
  };
}

function remarks(id: string, verdict: Verdict): readonly string[] {
  const awaited = AWAITED[id];
  return verdict === "allowed" && awaited !== undefined ? [`awaited: ${awaited}`] : [];
}

function isTried({ extended }: Way, range: Servers): boolean {
  return extended === undefined || range.extended || extended === true && !range.brief;
}

/** From bad to good: a row is as good as its worst way, and not applicable only where all its ways are. */
const ORDER: readonly Verdict[] = [
  "allowed",
  "broken",
  "control failed",
  "program missing",
  "residual risk",
  "denied",
  "not applicable",
];

function worst(verdicts: readonly Verdict[]): Verdict {
  return ORDER.find((verdict) => verdicts.includes(verdict)) ?? "not applicable";
}

type AimedWay = Way & { readonly aim: Effect };

interface WayContext {
  readonly name: string;
  readonly index: number;
  readonly range: Servers;
}

/** A server that died under an attack must not take the other rows with it. */
async function tryOrTell(row: Attack, way: AimedWay, context: WayContext): Promise<WayResult> {
  try {
    return await tryWay(row, way, context);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    await context.range.renew();
    return { verdict: "broken", why: `${context.name}: ${error.message}` };
  }
}

async function tryWay(row: Attack, way: AimedWay, context: WayContext): Promise<WayResult> {
  const { name, index, range } = context;
  const missing = lacking([row.needs, way.needs], range.user);
  if (missing !== undefined) return { ...missing, why: `${name}: ${missing.why}` };
  const { attributes, brief, flags } = range;
  const trial = { name: `${row.id}-${index}`, way, does: way.does, attributes, brief, flags };
  const [tried, control] = await bothEnded([
    facing("sandboxed", { way, range }, (post) => attempt(post, trial)),
    way.noControl === undefined && !isControlledBy(range.controlledBy, row, way)
      ? facing("bare", { way, range }, (post) => attempt(post, { ...trial, does: way.control ?? way.does }))
      : undefined,
  ]);
  const race = tried.race !== undefined && { race: { way: name, ...tried.race } };
  if (tried.breaches.length > 0) {
    const beyond = tried.breaches.some(({ effect }) => effect !== way.aim);
    return { verdict: "allowed", why: `${name}: ${described(tried.breaches)}`, beyond, ...race };
  }
  if (control !== undefined && !control.breaches.some(({ effect }) => effect === way.aim)) {
    return { verdict: "control failed", why: `${name}: no "${way.aim}" without the sandbox${shown(control)}` };
  }
  return { verdict: "denied", ...race };
}

/** Both results, when neither uses a server any more. @throws {unknown} What the first of them that failed threw. */
async function bothEnded<First, Second>(
  both: readonly [Promise<First>, Promise<Second> | undefined],
): Promise<readonly [First, Second | undefined]> {
  await Promise.allSettled(both);
  return [await both[0], await both[1]];
}

/** Whether that user tries the way too, and so shows what it does without the sandbox. */
function isControlledBy(user: User | undefined, row: Attack, way: Way): boolean {
  return user !== undefined && row.users.includes(user) && lacking([row.needs, way.needs], user) === undefined;
}

/** The shared server, or one of the way's own that goes with the attempt. */
async function facing(
  kind: Kind,
  { way, range }: { readonly way: Way; readonly range: Servers },
  act: (post: Post) => Promise<Tried>,
): Promise<Tried> {
  if (way.ownServer === undefined) {
    const isPlain = kind === "bare" && way.sharedServer?.plainControl === true;
    return await act(await range.shared(kind, isPlain ? undefined : way.sharedServer));
  }
  await using post = await range.post(kind, way.ownServer);
  return await act(post);
}

function lacking(needs: readonly (Needs | undefined)[], user: User): WayResult | undefined {
  const programs = missingPrograms(needs.flatMap((one) => one?.programs ?? []), user);
  if (programs.length > 0) {
    const verdict = installable(programs) ? "program missing" : "not applicable";
    return { verdict, why: `${programs.join(", ")} not within reach of this user` };
  }
  const reason = needs.map((one) => one?.machine?.(user)).find((text) => text !== undefined);
  return reason === undefined ? undefined : { verdict: "not applicable", why: reason };
}

function described(breaches: readonly Breach[]): string {
  return breaches.map(({ effect, what }) => `[${effect}] ${what}`).slice(0, 4).join("; ");
}

function shown({ breaches, text }: Tried): string {
  const others = breaches.length === 0 ? "" : ` (but ${described(breaches)})`;
  return `${others}; it printed:\n${text.slice(0, 1500)}`;
}

/** Maps with at most `ABREAST` under way. */
async function abreast<Item, Result>(
  items: readonly Item[],
  act: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await act(item, index);
  };
  await Promise.all(Array.from({ length: ABREAST }, work));
  return results;
}
