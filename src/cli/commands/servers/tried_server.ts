/** What came of the try of one server, for a person and for programs. Pure. */
import { counted } from "../../../base/text.ts";
import { shorten } from "../../../base/visible_text.ts";

/** A server that was started or connected as real use does it. */
export interface TriedServer {
  readonly name: string;
  readonly state: "ready" | "failed";
  /** Version of the protocol; absent: it was never ready. */
  readonly protocol?: string;
  /** How many it has; absent: it was never ready. */
  readonly tools?: number;
  readonly resources?: number;
  readonly prompts?: number;
  /** Names of tools that a person has not approved, the new ones too. */
  readonly changed?: readonly string[];
  /** Until it had listed everything, or had failed. */
  readonly milliseconds: number;
  /** Why it failed, and the way out; several lines. Absent: it has not. */
  readonly problem?: string;
}

const LONGEST_LINE = 500;

/** Name, state, time, and either version and what it offers, or the reason, with its last words below; tabs between. */
export function triedLine(server: TriedServer): string {
  const { name, state, protocol, milliseconds, problem, changed = [] } = server;
  const time = milliseconds < 10_000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
  if (problem !== undefined) {
    const [reason = "", ...more] = problem.split("\n").map((line) => shorten(line, LONGEST_LINE));
    return `${[[name, state, time, reason].join("\t"), ...more.map((line) => `  ${line}`)].join("\n")}\n`;
  }
  const approval = changed.length === 0
    ? []
    : [`${counted(changed.length, "tool")} changed or new: ahma_mcp servers diff ${name}`];
  return `${[name, state, time, protocol, offers(server), ...approval].join("\t")}\n`;
}

function offers({ tools, resources, prompts }: TriedServer): string {
  const all = [[tools, "tool"], [resources, "resource"], [prompts, "prompt"]] as const;
  return all.flatMap(([count, what]) => count === undefined || count === 0 ? [] : [counted(count, what)]).join(", ") ||
    "nothing";
}
