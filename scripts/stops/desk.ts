/** A developer's directories on this machine: a home, a project cloned into it, neighbours, and a host that serves files. */
import { makeSeenDirectory } from "../../src/base/_support/seen_directory.ts";
import { exists } from "../../tests/_support/workbench.ts";
import type { CommandLine } from "../client/command_line.ts";
import { START_FLAGS } from "../permissions.ts";
import { FILE_HOST, type Week } from "./week.ts";

const PROGRAM = new URL("../../dist/ahma_mcp.mjs", import.meta.url).pathname;

export class Desk implements Disposable {
  readonly #root = makeSeenDirectory("ahma-stops-");
  readonly #environment: Readonly<Record<string, string>>;
  /** Of the host: a loopback address of its own, so that several measurements can run. */
  readonly address = `127.77.${crypto.getRandomValues(new Uint8Array(2)).join(".")}`;

  /** `environment`: of the programs of the week. */
  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment;
    Deno.chmodSync(this.#root, 0o755);
    this.#write(`${this.home}/.gitconfig`, "[user]\n\tname = A\n\temail = a@example.invalid\n");
    if (exists("/usr/include/node/node_api.h")) this.#write(`${this.home}/.npmrc`, "nodedir=/usr\n");
    // The machine's names, and the host that only this measurement knows.
    this.#write(`${this.#root}/hosts`, `${Deno.readTextFileSync("/etc/hosts")}\n${this.address} ${FILE_HOST}\n`);
  }

  get home(): string {
    return `${this.#root}/home`;
  }
  /** The scope. */
  get project(): string {
    return `${this.home}/work/app`;
  }
  /** What the host serves. */
  get served(): string {
    return `${this.#root}/served`;
  }

  /** Clones the project of a week, as a person does, next to its neighbours. */
  async fill({ files, beside }: Week): Promise<void> {
    const work = `${this.home}/work`;
    for (const [name, text] of Object.entries(files)) this.#write(`${this.#root}/first/${name}`, text);
    for (const [name, text] of Object.entries(beside)) {
      if (name.endsWith("/")) Deno.mkdirSync(`${work}/${name}`, { recursive: true });
      else this.#write(`${work}/${name}`, text);
    }
    for (const name of ["words.txt", "tool"]) this.#write(`${this.served}/${name}`, "words\n");
    await this.#run(
      "sh",
      "-ec",
      `cd first && git init -q -b main . && git add -A && git commit -qm first && cd ..
      git clone -q --bare first home/work/origin.git && git clone -q home/work/origin.git home/work/app
      git clone -q --bare first served/words.git && git -C served/words.git update-server-info
      if test -e home/work/words; then cd home/work/words && git init -q -b main . && git add -A && git commit -qm words; fi`,
    );
  }

  /** Runs the packed program to its end, as a person does in the project. */
  async program(...words: readonly string[]): Promise<void> {
    const { command, args } = this.server(words);
    await this.#run("sh", "-ec", `cd "${this.project}" && exec "$@"`, "sh", command, ...args);
  }

  /** The arguments of the entry that `init` has written for a client, as the client starts it. */
  entry(): readonly string[] {
    const file: { readonly mcpServers: { readonly Ahma: { readonly args: readonly string[] } } } = JSON.parse(
      Deno.readTextFileSync(`${this.project}/.cursor/mcp.json`),
    );
    return file.mcpServers.Ahma.args.map((word) => word.replace("${workspaceFolder}", this.project));
  }

  /** Starts the packed program where the host's name leads to this machine. */
  server(flags: readonly string[]): CommandLine {
    const script = `mount --bind "${this.#root}/hosts" /etc/hosts && exec "$@"`;
    const runtime = [Deno.execPath(), "run", ...START_FLAGS, PROGRAM];
    return {
      command: "unshare",
      args: ["--mount", "sh", "-c", script, "sh", ...runtime, ...flags],
      directory: this.project,
      environment: this.#variables,
    };
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#root, { recursive: true });
  }

  get #variables(): Readonly<Record<string, string>> {
    const own = Object.entries(Deno.env.toObject()).filter(([name]) => !/^(?:AHMA|XDG)_/.test(name));
    return {
      ...Object.fromEntries(own),
      DENO_DIR: Deno.env.get("DENO_DIR") ??
        `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`}/deno`,
      ...this.#environment,
      HOME: this.home,
      DENO_NO_UPDATE_CHECK: "1",
      NO_COLOR: "1",
    };
  }

  #write(path: string, text: string): void {
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(path, text);
  }

  /** @throws Error with what it printed when it fails. */
  async #run(command: string, ...args: readonly string[]): Promise<void> {
    const { success, stdout, stderr } = await new Deno.Command(command, {
      args: [...args],
      cwd: this.#root,
      clearEnv: true,
      env: this.#variables,
    }).output();
    const decoder = new TextDecoder();
    if (!success) throw new Error(`${command} ${args.join(" ")}: ${decoder.decode(stdout)}${decoder.decode(stderr)}`);
  }
}
