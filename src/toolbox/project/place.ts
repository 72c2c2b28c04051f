/** Where a path of a call leads. */
export interface Place {
  /** Absolute, no link in it. */
  readonly path: string;
  /** As results name it: relative to the first scope where it lies in it. */
  readonly shown: string;
  /** The directory of the project that holds it. */
  readonly root: string;
}
