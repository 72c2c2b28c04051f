/** Opens the user's browser, outside the sandbox. */
import { startDetached } from "../../process/spawn.ts";
import { browserCommand } from "../../upstream/oauth/login/browser.ts";

type Environment = Readonly<Record<string, string>>;

/** The problem if a browser would not open in front of the user. */
export const NO_BROWSER = "This machine has no browser that the user would see";

/** Whether the user of this machine would see a browser. */
export function hasBrowser(environment: Environment): boolean {
  return commandFor("", environment) !== undefined;
}

/** Opens a page; the problem where that fails. */
export function openBrowser(url: URL, environment: Environment): string | undefined {
  const command = commandFor(url.href, environment);
  if (command === undefined) return NO_BROWSER;
  const [program, ...args] = command;
  const problem = startDetached({ program, args, environment, directory: "/" });
  return problem === undefined ? undefined : `Cannot open a browser with "${program}": ${problem}`;
}

function commandFor(url: string, environment: Environment) {
  return browserCommand(environment, Deno.build.os === "darwin" ? "darwin" : "linux", url);
}
