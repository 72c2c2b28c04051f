/** What the sandbox does not stop, and where docs/security.md owns up to it. A test holds the two together. */
import { words } from "../../../src/base/text.ts";

export interface ResidualRisk {
  /** A heading of docs/security.md, as an anchor. */
  readonly anchor: string;
  /** The limit in one sentence. */
  readonly sentence: string;
}

/** By row id. */
export const RESIDUAL_RISKS: Readonly<Record<string, ResidualRisk>> = {
  X11: {
    anchor: "locks",
    sentence: "A command can hold advisory locks on files that it may read.",
  },
  X12: {
    anchor: "the-machines-own-figures",
    sentence: "A command sees what the kernel tells of the whole machine: connections, names of sockets, settings.",
  },
  X13: {
    anchor: "protected-paths-that-do-not-exist-yet",
    sentence: "What a command makes and removes again before its end is told by no result.",
  },
  X14: {
    anchor: "without-user-namespaces",
    sentence: "Without namespaces a command can choose the processors of other processes of this user.",
  },
  X15: {
    anchor: "without-user-namespaces",
    sentence: "Without namespaces a command can change modes, owners, times and attributes of files of this user.",
  },
  X18: {
    anchor: "without-user-namespaces",
    sentence:
      "Without namespaces a command can see that a path outside exists, its size, owner and times, and watch it.",
  },
  K18: {
    anchor: "unix-sockets-made-while-a-command-runs",
    sentence: "A command can connect to a Unix socket that another program makes in the scope while the command runs.",
  },
  L06: {
    anchor: "hard-links-into-the-scope",
    sentence: "A hard link that was in the scope before leads to the same file as its other names outside.",
  },
  L17: {
    anchor: "mounts-in-the-scope",
    sentence: "What was mounted in the scope before belongs to the scope.",
  },
};

/** Rows that only namespaces stop: where a system refuses them, docs/security.md owns up to these too. */
export const STOPPED_BY_NAMESPACES: readonly string[] = words("N02 N03 N06 P15 R13 R14 S05 S09 V02 W11 W12 X03 X16");

/** Undefined: the row is to be denied. */
export function residualRisk(id: string, { refused }: { readonly refused: boolean }): ResidualRisk | undefined {
  return RESIDUAL_RISKS[id] ?? (refused && STOPPED_BY_NAMESPACES.includes(id) ? RESIDUAL_RISKS["X15"] : undefined);
}
