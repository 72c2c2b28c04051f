/** How the browser of this machine is opened. Pure. */

type Environment = Readonly<Record<string, string>>;

/**
 * The program and its words; undefined: a browser would not open where the person sits. `BROWSER` is the word of the
 * user, also over SSH: words separated by blanks, where `%s` stands for the address.
 */
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
