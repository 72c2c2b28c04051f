/** A package with a script and a dependency that needs no registry, for the package managers of JavaScript. */

/** Makes it in the row's directory. */
export const PACKAGE =
  `echo '{"name":"work","version":"1.0.0","license":"MIT","scripts":{"hello":"echo from a script"}}' > package.json && ` +
  `mkdir part && echo '{"name":"part","version":"1.0.0","license":"MIT","bin":"run.js"}' > part/package.json && ` +
  `printf '#!/usr/bin/env node\\nconsole.log("run", process.argv.slice(2).join())\\n' > part/run.js && chmod +x part/run.js`;

/** What starts a server that finds the programs of these directories first. */
export function withPath(...programs: readonly string[]): () => { readonly programs: readonly string[] } {
  return () => ({ programs });
}

/** The directory of a program. */
export function directoryOf(command: readonly string[]): string {
  return command[0]?.replace(/\/[^/]*$/, "") ?? "";
}
