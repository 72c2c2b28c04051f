/** Problems of `network` in a tool file (S43): unreadable entries, and those that the server does not allow. */
import { closedRules, type NetworkReach, readBound } from "../../base/network/network_bound.ts";
import { shortNameList } from "../../base/network/short_name_list.ts";
import { errorAt, type UnplacedDiagnostic, warningAt } from "../format/diagnostic.ts";
import type { SubcommandDefinition, ToolDefinition } from "../format/mtdf.ts";

type Node = ToolDefinition | SubcommandDefinition;
type Path = readonly (string | number)[];

/** An error where the node's list cannot be read. */
export function checkNetwork({ network }: Node, at: Path): readonly UnplacedDiagnostic[] {
  const read = network === undefined ? undefined : readBound(network);
  if (read === undefined || read.ok) return [];
  const advice = 'write hosts such as ["packages", "github.com:443"], "localhost" or "none"';
  return [errorAt([...at, "network"], `"network" cannot be used: ${read.problem}: ${advice}`)];
}

/** A warning for each list of a valid file that names what the server does not allow: that stays closed. */
export function closedEntries(node: Node, server: NetworkReach, at: Path = []): readonly UnplacedDiagnostic[] {
  const read = node.network === undefined ? undefined : readBound(node.network);
  const closed = read?.ok === true ? closedRules(server, read.value) : [];
  const below = (node.subcommand ?? []).flatMap((child, index) =>
    closedEntries(child, server, [...at, "subcommand", index])
  );
  if (closed.length === 0) return below;
  const list = shortNameList(closed, LONGEST_LIST);
  const own = server.network === "names"
    ? `${list} is not on the list of --network and stays closed: start the server with --network ...,${list}`
    : `${list} stays closed with --network ${server.network}: start the server with --network ${list}`;
  return [warningAt([...at, "network"], own), ...below];
}

const LONGEST_LIST = 300;
