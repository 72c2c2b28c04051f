/** The values of `--publish`: ports of this machine for ports of commands (S34). Pure. */
import { ASKED_PORTS, portsOf } from "../../base/network/name_list.ts";
import type { PublishedPort } from "../../base/network/published_port.ts";
import type { ConfinementChoice } from "../../sandbox/policy/confinement.ts";

const PATTERN = /^(?:(\d{1,5}):)?(\d{1,5})$/;
const LAST_PORT = 65_535;
/** Where the server answers questions about names. */
const DNS_PORT = 53;

/** What is wrong with a value, to follow a colon; undefined: nothing. */
export function publishedProblem(text: string): string | undefined {
  const port = PATTERN.test(text) ? readPublished(text) : undefined;
  const isPort = (number: number) => number >= 1 && number <= LAST_PORT;
  return port !== undefined && isPort(port.port) && isPort(port.inside)
    ? undefined
    : `"${text}" is neither a port from 1 to ${LAST_PORT} nor two of them as in "8080:5173"`;
}

/** The value; it was checked by `publishedProblem`. */
export function readPublished(text: string): PublishedPort {
  const [, outside, inside] = PATTERN.exec(text) ?? [];
  return { port: Number(outside ?? inside), inside: Number(inside) };
}

/** Why a server with these settings cannot publish its ports, as a sentence; undefined: it can, or has none. */
export function publicationProblem(
  { published, sandbox: { enforce, confinement }, http }: {
    readonly published: readonly PublishedPort[];
    readonly sandbox: {
      readonly enforce: boolean;
      readonly confinement: Pick<ConfinementChoice, "network" | "names" | "asks">;
    };
    readonly http: { readonly sessionIsolation: boolean } | undefined;
  },
): string | undefined {
  const [first] = published;
  if (first === undefined || !enforce || confinement.network === "full") return undefined;
  const refused = (port: PublishedPort) => `Cannot publish port ${port.inside}`;
  if (http?.sessionIsolation === true) {
    return `${
      refused(first)
    } with --session-isolation: sessions have networks of their own, and only one could have it`;
  }
  if (confinement.network === "none") {
    return `${refused(first)} with --network none, where commands cannot listen. Use --network localhost, ` +
      "or a list of hosts";
  }
  const twice = published.find(({ port }, at) => published.findIndex((other) => other.port === port) !== at);
  if (twice !== undefined) return `${refused(twice)} at port ${twice.port}, which --publish names twice`;
  const taken = confinement.network === "names"
    ? [DNS_PORT, ...portsOf(confinement.names), ...confinement.asks ? ASKED_PORTS : []]
    : [];
  const closed = published.find(({ inside }) => taken.includes(inside));
  return closed &&
    `${refused(closed)}: the network by name takes it for connections of commands. Let the command listen at another`;
}
