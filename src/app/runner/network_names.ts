import { printPlace } from "../../base/network/name_list.ts";
import { shortNameList } from "../../base/network/short_name_list.ts";
import { counted } from "../../base/text.ts";
import { shorten } from "../../base/visible_text.ts";
import type { PublicationState } from "../../process/linux/network/named_network.ts";
import type { NamedTotals } from "../../process/linux/network/network_users.ts";
import type { NarrowedTotals } from "../../process/linux/readiness/narrowed_networks.ts";
import type { Confinement } from "../../sandbox/policy/confinement.ts";

const LONGEST_LIST = 1000;
const MOST_NAMES = 20;

/** Lines of `status`: the list of names, what was used of it and what was refused; empty: there is no list. */
export function namesLine(confinement: Confinement | undefined, totals: readonly NamedTotals[]): string {
  return confinement?.network === "names" ? listLine("Network", { names: confinement.names, totals }) : "";
}

/** The same for the lists of tool files that are open (S43). */
export function narrowedLines(lists: readonly NarrowedTotals[]): string {
  return lists.map((list) => listLine("Network of tool files", list)).join("");
}

function listLine(title: string, { names, totals }: NarrowedTotals): string {
  const told = totals.slice(0, MOST_NAMES).map(({ name, port, connections, refusals, bytesOut, bytesIn, reason }) => {
    const subject = shorten(printPlace(name, port));
    const used = connections === 0
      ? []
      : [`${counted(connections, "connection")}, ${bytesOut} bytes out, ${bytesIn} in`];
    const refused = refusals === 0 ? [] : [`${refusals} refused: ${reason}`];
    return `\n  ${subject}: ${[...used, ...refused].join("; ")}`;
  });
  const more = totals.length > MOST_NAMES ? `\n  and ${totals.length - MOST_NAMES} more` : "";
  const list = names.length === 0 ? "no host" : shortNameList(names, LONGEST_LIST);
  return `\n${title}: ${list}${told.join("")}${more}`;
}

/** A line of `status`: where a person reaches ports of commands; empty: nowhere. */
export function publishedLine(published: readonly PublicationState[]): string {
  if (published.length === 0) return "";
  const places = published.map(({ port, inside, isHeard }) => {
    const state = isHeard === undefined
      ? "commands share no network here"
      : isHeard
      ? "a command listens"
      : "no command listens";
    return `127.0.0.1:${port} -> ${inside} (${state})`;
  });
  return `\nPublished: ${places.join(", ")}`;
}
