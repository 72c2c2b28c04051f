/** Instructions of other servers, as lines of ours (O2): from the stored record, short, and one line each. */
import { shorten } from "../../base/visible_text.ts";
import { itemsOf, withheldBecause } from "../definitions/pins.ts";
import type { ServerSet } from "../server/server_set.ts";
import type { UpstreamServer } from "../server/upstream_server.ts";

/** Characters of one server, and of all. */
const LONGEST = 512;
const LONGEST_TOGETHER = 2_048;

/** A heading and a line for each server; empty: none says anything. Kept until a server changes. */
export function instructionLines(set: ServerSet): () => readonly string[] {
  let lines: readonly string[] | undefined;
  set.onChange(() => lines = undefined);
  return () => lines ??= linesOf(set.servers);
}

function linesOf(servers: readonly UpstreamServer[]): readonly string[] {
  let room = LONGEST_TOGETHER;
  const lines = servers.flatMap(({ spec, instructions: known }) => {
    const [item] = itemsOf(known, "instructions");
    if (known === undefined || item === undefined || withheldBecause(known, item, spec.pin) !== undefined) return [];
    const line = `${shorten(spec.name)}: ${shorten(String(item.item["text"]), LONGEST)}`;
    room -= line.length;
    return room < 0 ? [] : [line];
  });
  return lines.length === 0 ? [] : ["Other servers say of their tools:", ...lines];
}
