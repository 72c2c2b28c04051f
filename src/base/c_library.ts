/** The system's C library for calls that the runtime does not offer. */

/** Names of glibc's library file, then musl's, whose name ends with the processor. */
const NAMES = ["libc.so.6", `libc.musl-${Deno.build.arch}.so.1`] as const;

/**
 * Opens the C library for the functions described; the caller closes it.
 *
 * @throws Error when neither glibc nor musl is there, or lacks a function.
 */
export function openCLibrary<const Symbols extends Deno.ForeignLibraryInterface>(
  symbols: Symbols,
): Deno.DynamicLibrary<Symbols> {
  const problems: string[] = [];
  for (const name of NAMES) {
    try {
      return Deno.dlopen(name, symbols);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      problems.push(error.message);
    }
  }
  throw new Error(`Cannot load the C library: ${problems.join("; ")}`);
}
