/** Looks for what the tests need, and installs what is missing if possible. */
import { existsSync } from "node:fs";
import { installCommand, packagesOf, type Prerequisite } from "./prerequisites.ts";
import { programIn } from "./program_path.ts";

/** Those that are not there. */
export async function missingOf(
  all: readonly Prerequisite[],
  directories: readonly string[],
): Promise<readonly Prerequisite[]> {
  const python = programIn(directories, "python3");
  const isThere = async (what: string) => {
    if (what.startsWith("/")) return existsSync(what);
    if (!what.startsWith("import ")) return programIn(directories, what) !== undefined;
    return python !== undefined && await imports(python, what);
  };
  const there = await Promise.all(all.map(({ what }) => isThere(what)));
  return all.filter((_, index) => there[index] !== true);
}

/** How packages are installed. */
export interface Installer {
  /** The path of apt-get. */
  readonly program: string;
  /** The program that is asked whether a new service may start (invoke-rc.d(8)); where there is none, the answer is no. */
  readonly policy: string;
}

interface ProvideOptions {
  /** Where tests find programs. */
  readonly directories: readonly string[];
  /** Undefined: this user cannot install. */
  readonly installer: Installer | undefined;
  readonly say: (line: string) => void;
}

/**
 * Says what is missing, and installs it if there is an installer.
 *
 * @returns whether everything is there in the end
 */
export async function provide(all: readonly Prerequisite[], options: ProvideOptions): Promise<boolean> {
  const { directories, installer, say } = options;
  const missing = await missingOf(all, directories);
  if (missing.length === 0) return true;
  if (installer !== undefined) {
    const [, ...words] = installCommand(missing);
    say(`The tests need Debian packages, which are installed now: ${packagesOf(missing).join(" ")}`);
    await install(installer, words);
  }
  const left = installer === undefined ? missing : await missingOf(missing, directories);
  for (const line of left.length === 0 ? [] : refusal(left)) say(line);
  return left.length === 0;
}

/** What a person reads where nothing is installed. Pure. */
export function refusal(missing: readonly Prerequisite[]): readonly string[] {
  return [
    "The tests need what this machine does not have:",
    ...missing.map(({ what, debianPackage, neededBy }) => `  ${what} (${debianPackage}): ${neededBy}`),
    `Install it, and run this again: sudo ${installCommand(missing).filter((word) => word !== "-qq").join(" ")}`,
  ];
}

/** Installs packages; a service that comes with one is not started. */
async function install({ program, policy }: Installer, words: readonly string[]): Promise<void> {
  const isOurs = !existsSync(policy);
  if (isOurs) await Deno.writeTextFile(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    for (const args of [["update", "-qq"], words]) {
      const env = { DEBIAN_FRONTEND: "noninteractive" };
      const streams = { stdin: "null", stdout: "null", stderr: "inherit" } as const;
      await new Deno.Command(program, { args: [...args], env, ...streams }).output();
    }
  } finally {
    if (isOurs) await Deno.remove(policy);
  }
}

async function imports(python: string, line: string): Promise<boolean> {
  return (await new Deno.Command(python, { args: ["-c", line], stdout: "null", stderr: "null" }).output()).success;
}
