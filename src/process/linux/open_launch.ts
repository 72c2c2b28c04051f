import type { OpenRequest } from "../session_runner.ts";
import { writeAndClose } from "../write_and_close.ts";
import type { CommandTree } from "./command_tree.ts";
import { Launch } from "./launch.ts";

/** An attempt, and whether its command runs. */
interface Opening {
  readonly tree: CommandTree;
  readonly begun: boolean;
}

/** The launch of an interactive command: its stdin stays open, its stderr goes to a file instead of into the output. */
export class OpenLaunch extends Launch<OpenRequest, Opening> {
  async launch(): Promise<Opening> {
    const { request, policy } = this;
    const tree = this.start(this.tools.images.command(policy, request, request.stderrFile), "piped");
    return { tree, begun: await tree.begun() };
  }

  mayTryAgain({ begun }: Opening): boolean {
    return !begun && !this.hooks.signal.aborted;
  }

  /** Closes the stdin of every attempt but `kept`. */
  async closeOthers({ tree: kept }: Opening): Promise<void> {
    for (const tree of this.trees) if (tree !== kept) await writeAndClose(tree);
  }
}
