/** A server whose PATH leads into a project with programs, and with git settings, that lie in wait for it (C10, E07). */
import type { Workbench } from "../../_support/workbench.ts";
import type { ServerSetting } from "../frame/attack.ts";

/** Is there when what the server itself was not to run has run. */
export function obeyed({ elsewhere }: Workbench): string {
  return `${elsewhere}/obeyed`;
}

/** Programs by what they do; the last one is in no usual directory. */
const PROGRAMS = {
  "echo found $((6 * 7))": ["ls", "setpriv", "deno", "unshare", "bin/ls", "bin/bash", "only-here"],
  obey: ["git", "which", "uname", "bash", "sh"],
};

export const LED_INTO_PROJECT: ServerSetting = {
  flags: (bench) => {
    new Deno.Command("git", { args: ["init", "-q", bench.scope] }).outputSync();
    const obeys = `echo x > ${obeyed(bench)}`;
    const trap = `sh -c '${obeys}' #`;
    bench.write(".git/config", `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${JSON.stringify(trap)}\n`);
    for (const [line, names] of Object.entries(PROGRAMS)) {
      const program = `#!/bin/sh\n${line === "obey" ? obeys : line}\n`;
      for (const name of names) Deno.chmodSync(bench.write(name, program), 0o755);
    }
    return [];
  },
  // Relative and empty items, before the usual ones and after them.
  environment: { PATH: ".::bin:./bin:/nothing:/usr/local/bin:/usr/bin:/bin:" },
};
