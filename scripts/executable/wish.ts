/** The words of `deno task compile`. */
import { ownTarget, type Target, targetNamed, TARGETS } from "./pins.ts";

/** How an executable is made. */
export type Way = "embedded" | "deno-compile";

/** What is asked for. */
export interface Wish {
  readonly targets: readonly Target[];
  /** Undefined: the best way for each target. */
  readonly way: Way | undefined;
  /** Take the sums of what `deno compile` builds on as pinned ones from now on. */
  readonly record: boolean;
}

const USAGE = "Usage: deno task compile [--target T | --all] [--with embedded|deno-compile] [--record]";

/**
 * The wish, for the own platform without a target; a text: what is wrong with the words. Pure.
 * @param words As typed; a flag and its value are two words, or one with `=` between.
 */
export function wishOf(words: readonly string[], platform: Parameters<typeof ownTarget>[0]): Wish | string {
  let targets: readonly Target[] | undefined;
  let way: Way | undefined;
  let record = false;
  const rest = words.flatMap((word) => /^(--[a-z]+)=(.*)$/.exec(word)?.slice(1) ?? [word]);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--all") targets = TARGETS;
    else if (word === "--record") record = true;
    else if (word === "--target") {
      const name = rest.shift() ?? "";
      const target = targetNamed(name);
      if (target === undefined) return `--target "${name}" is not known: give one of ${TARGETS.join(", ")}`;
      targets = [target];
    } else if (word === "--with") {
      const name = rest.shift() ?? "";
      if (name !== "embedded" && name !== "deno-compile") return `--with "${name}" is not known. ${USAGE}`;
      way = name;
    } else return `"${word}" is not known. ${USAGE}`;
  }
  const own = ownTarget(platform);
  const chosen = targets ?? (own === undefined ? undefined : [own]);
  if (chosen === undefined) {
    return `No executable is made for this platform: give --target, one of ${TARGETS.join(", ")}`;
  }
  return { targets: chosen, way, record };
}
