/** `version` prints the version. With `--check` it also asks for the newest one; nothing else does. */
import { VERSION } from "../../../base/version.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print } from "../../terminal/print.ts";
import { isNewer, newestVersion, newestVersionUrl } from "./newest_version.ts";

/** Prints it; resolves with the exit code. @throws {UserError} when the newest version cannot be had */
export async function version({ flags, environment, stop }: CommandContext): Promise<number> {
  const newest = flags.has("check") ? await newestVersion(await newestVersionUrl(environment, stop)) : undefined;
  await print(newest === undefined ? `ahma_mcp ${VERSION}\n` : compared(newest));
  return 0;
}

function compared(newest: string): string {
  if (!isNewer(newest, VERSION)) return `ahma_mcp ${VERSION} is the newest version\n`;
  return `ahma_mcp ${newest} is out, and this is ${VERSION}. Get it the way you got this one, such as ` +
    `npm install -g ahma_mcp@${newest}\n`;
}
