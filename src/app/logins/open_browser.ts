/** Opens the user's browser, outside the sandbox. */
import { startDetached } from "../../process/spawn.ts";

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

/** Program and words; undefined: no browser opens where the person sits. `BROWSER` counts over SSH too. */
export function browserCommand(
  environment: Environment,
  system: "linux" | "darwin",
  url: string,
): readonly [program: string, ...words: string[]] | undefined {
  const [program, ...words] = (environment["BROWSER"] ?? "").split(" ").filter((word) => word !== "");
  if (program !== undefined) {
    const hasPlace = words.some((word) => word.includes("%s"));
    return [program, ...hasPlace ? words.map((word) => word.replaceAll("%s", () => url)) : [...words, url]];
  }
  if (isSet(environment, "SSH_CONNECTION") || isSet(environment, "SSH_TTY")) return undefined;
  if (system === "darwin") return ["open", url];
  return isSet(environment, "DISPLAY") || isSet(environment, "WAYLAND_DISPLAY") ? ["xdg-open", url] : undefined;
}

function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? "") !== "";
}
