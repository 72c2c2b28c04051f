/** The servers of one user over which rows are run: one sandboxed, one without, started when the first row needs them. */
import type { User } from "../_support/workbench.ts";
import { ExtendedAttributes } from "./extended_attributes.ts";
import { Post } from "./post.ts";

export class Range implements AsyncDisposable {
  readonly user: User;
  readonly attributes = new ExtendedAttributes();
  #posts: Promise<{ readonly sandboxed: Post; readonly bare: Post }> | undefined;

  /** Flags that every sandboxed server gets besides its own. */
  readonly flags: readonly string[];
  /** Whether ways are tried that nearly repeat others. */
  readonly extended: boolean;

  constructor(
    user: User,
    { flags = [], extended = false }: { readonly flags?: readonly string[]; readonly extended?: boolean } = {},
  ) {
    this.user = user;
    this.flags = flags;
    this.extended = extended;
  }

  /** The two servers. */
  posts(): Promise<{ readonly sandboxed: Post; readonly bare: Post }> {
    return this.#posts ??= this.#start();
  }

  /** Gives up servers that no longer answer; the next row gets new ones. */
  async renew(): Promise<void> {
    const posts = this.#posts;
    if (posts === undefined) return;
    this.#posts = undefined;
    const { sandboxed, bare } = await posts;
    // What is wrong with them has been told by the row that found it.
    await Promise.allSettled([sandboxed[Symbol.asyncDispose](), bare[Symbol.asyncDispose]()]);
  }

  /** Ends the servers; fails when one leaves processes, or had written more than messages. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.attributes[Symbol.dispose]();
    const posts = await this.#posts;
    if (posts === undefined) return;
    await posts.sandboxed[Symbol.asyncDispose]();
    await posts.bare[Symbol.asyncDispose]();
  }

  async #start(): Promise<{ readonly sandboxed: Post; readonly bare: Post }> {
    const [sandboxed, bare] = await Promise.all([
      Post.start(this.user, { enforced: true, flags: () => this.flags }),
      Post.start(this.user, { enforced: false }),
    ]);
    return { sandboxed, bare };
  }
}
