/** What the tests of the page share: servers with all that a page can show, their dashboard and a browser. */
import { ServerProcess } from "../_support/server_process.ts";
import type { Workbench } from "../_support/workbench.ts";
import { Shown } from "./shown.ts";

/** Two servers with all that a page can show. The page of their user is told of both. */
export class Everything implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly server: ServerProcess;
  readonly shown: Shown;

  private constructor(stack: AsyncDisposableStack, server: ServerProcess, shown: Shown) {
    [this.#stack, this.server, this.shown] = [stack, server, shown];
  }

  static async start(bench: Workbench): Promise<Everything> {
    await using stack = new AsyncDisposableStack();
    bench.write("changed.txt", "as it was\n");
    const flags = ["--ask", "read", "--undo", "--audit-log", `${bench.elsewhere}/audit.jsonl`];
    const server = stack.use(await ServerProcess.start(bench, { flags }));
    const undoing = stack.use(await ServerProcess.start(bench, { flags: ["--undo"] }));
    const shown = stack.use(await Shown.start(bench));
    // Each end of a server looks for processes of both.
    stack.defer(async () => void await Promise.all([server.closeInput(), undoing.closeInput()]));
    await undoing.shell("echo changed > changed.txt; printf '\\033[31mred \\033[44mon blue\\033[0m\\n'");
    const file = bench.write(`${bench.elsewhere}/data/f`, "of data\n");
    await server.shell(`cat ${file}; exit 3`);
    await server.start("printf '\\033[1;32mname?\\033[0m '; read name", { tty: true });
    await server.start(`echo ${"wide ".repeat(100)}; head -c 5000 /dev/zero | tr '\\0' w; sleep 309`, { input: true });
    return new Everything(stack.move(), server, shown);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
