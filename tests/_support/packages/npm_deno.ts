/** npm's package of the runtime, as `npm install -g deno` leaves it where install scripts do not run: a program for Node. */
import { withDeadline } from "../deadline.ts";

/** Installs it below `directory`; the path of the command, undefined: npm could not get it. */
export async function installNpmDeno(directory: string): Promise<string | undefined> {
  const { code } = await withDeadline(
    new Deno.Command("npm", {
      args: [
        ...["install", "--global", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"],
        ...["--prefix", directory, `deno@${Deno.version.deno}`],
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output(),
    120_000,
    "npm",
  );
  return code === 0 ? `${directory}/bin/deno` : undefined;
}
