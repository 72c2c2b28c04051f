/** What the sandbox does not stop, and where docs/security.md owns up to it. A test holds the two together. */

export interface ResidualRisk {
  /** A heading of docs/security.md, as an anchor. */
  readonly anchor: string;
  /** The limit in one sentence. */
  readonly sentence: string;
}

/** By row id. */
export const RESIDUAL_RISKS: Readonly<Record<string, ResidualRisk>> = {
  R13: {
    anchor: "metadata-outside",
    sentence: "A command can see whether a path outside exists, and its size, owner and times, but not what is in it.",
  },
  R14: {
    anchor: "metadata-outside",
    sentence: "A command can watch a directory outside and learn the names of files that change there.",
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
