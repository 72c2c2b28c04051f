/** A small project that does what real ones do, and how it is built and tested inside the sandbox. */
export interface Project {
  readonly name: string;
  /** Looked up on the PATH of the user. */
  readonly programs: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** Builds and tests it where nothing is cached yet, with the network. */
  readonly cold: string;
  /** Both say it at their end, unless the second has words of its own. */
  readonly expected: RegExp;
  /**
   * Works on a fresh copy in another server, without network out of what the first left in its caches. It builds and tests
   * all of it, or uses what was fetched and installed where a second build would only repeat the first at great cost. Absent:
   * its package manager asks the index whatever it has.
   */
  readonly warm?: string;
  readonly expectedWarm?: RegExp;
  /** The tool chain lies in the home of the user who installed it: the server gets that one. */
  readonly realHome?: true;
  /** Why the programs of this machine cannot build it; undefined: they can. Absent: they always can. */
  readonly unfit?: () => string | undefined;
}
