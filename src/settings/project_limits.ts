/** A project's settings may hold commands in further than its user does, and never let them out (requirement L7). */
import { type FlagName, flagNamed } from "./flags/flags.ts";
import { limitOf } from "./flags/limit_value.ts";

/** Why a project may not set the flag so high; undefined: it may. Its user can, with the flag. */
export function tooHigh(name: FlagName, value: string | undefined): string | undefined {
  const { projectMost } = flagNamed(name);
  if (projectMost === undefined || Number(value) <= projectMost) return undefined;
  return `a project may set it to at most ${projectMost}. Use the flag "--${name}"`;
}

/** Why a project may not set the flag to `value`; undefined: it may. `user`: what the user's file says, if anything. */
export function tooWide(name: FlagName, value: string | undefined, user: string | undefined): string | undefined {
  const { narrowsOnly, choices } = flagNamed(name);
  if (narrowsOnly === undefined || value === undefined) return undefined;
  const bound = user ?? narrowsOnly;
  const wider = choices === undefined
    ? (limitOf(value) ?? Infinity) > (limitOf(bound) ?? Infinity)
    : choices.indexOf(value) < choices.indexOf(bound);
  if (!wider) return undefined;
  const source = user === undefined ? "the default" : "the user's own file";
  return `a project may not widen the rights of commands, and ${source} says "${bound}". Use the flag "--${name}"`;
}
