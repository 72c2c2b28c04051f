import type { CommandLine } from "../client/command_line.ts";
import { until } from "../../tests/_support/deadline.ts";
import { processesWith } from "../../tests/_support/processes.ts";

/** A throw-away project with a home of its own, and files outside it that a command must not reach. */
export class Project implements Disposable {
  readonly #root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "ahma-demo-" }));

  constructor() {
    for (const name of ["project", "home", "home/.ssh"]) Deno.mkdirSync(`${this.#root}/${name}`);
    Deno.writeTextFileSync(this.secret, "-----BEGIN A PRIVATE KEY-----\n");
    Deno.writeTextFileSync(`${this.directory}/README.md`, "# A small project\n");
    Deno.writeTextFileSync(`${this.directory}/build.sh`, BUILD);
  }

  /** The scope. */
  get directory(): string {
    return `${this.#root}/project`;
  }
  /** A key in the user's home. */
  get secret(): string {
    return `${this.#root}/home/.ssh/id_rsa`;
  }
  /** The user's home. */
  get home(): string {
    return `${this.#root}/home`;
  }
  /** A place right outside the scope. */
  get outside(): string {
    return `${this.#root}/outside.txt`;
  }

  /** Makes a directory in the project and gives its path. */
  make(name: string): string {
    Deno.mkdirSync(`${this.directory}/${name}`);
    return `${this.directory}/${name}`;
  }

  /** Starts the runtime with these words in the project: our PATH, another home, and the runtime's own cache. */
  commandLine(words: readonly string[]): CommandLine {
    const home = Deno.env.get("HOME") ?? "/";
    const pyenv = Deno.env.get("PYENV_ROOT");
    const cache = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("XDG_CACHE_HOME") ?? `${home}/.cache`}/deno`;
    return {
      command: Deno.execPath(),
      args: words,
      directory: this.directory,
      environment: {
        PATH: Deno.env.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
        HOME: this.home,
        LANG: "C.UTF-8",
        DENO_DIR: cache,
        DENO_NO_UPDATE_CHECK: "1",
        NO_COLOR: "1",
        ...pyenv !== undefined && { PYENV_ROOT: pyenv },
      },
    };
  }

  /** Command lines of the processes that work in this project. Undefined where the system cannot tell. */
  async processes(): Promise<readonly string[] | undefined> {
    if (Deno.build.os !== "linux") return undefined;
    return (await processesWith(this.directory)).map(({ command }) => command);
  }

  /** Waits until no process whose command line matches works here. @throws Error when one stays for 5 seconds. */
  async isRidOf(matches: (command: string) => boolean): Promise<void> {
    await until(async () => (await this.processes())?.some(matches) !== true, 5_000, "the processes to end");
  }

  /** The process that serves the session whose scope is `root`. Undefined: none does. */
  async sessionProcess(root: string): Promise<number | undefined> {
    const all = await processesWith(this.directory);
    return all.find(({ command, directory }) => command.includes("--mode=stdio") && directory === root)?.pid;
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#root, { recursive: true });
  }
}

const BUILD = `#!/bin/sh
for part in parser resolver linker packer; do
  echo "building the $part"
  sleep 0.5
done
echo "built 4 parts"
`;
