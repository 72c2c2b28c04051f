/** The servers of one user over which rows are run, a sandboxed and a bare one for each setting, started when first needed. */
import type { User } from "../_support/workbench.ts";
import type { ServerSetting } from "./attack.ts";
import { ExtendedAttributes } from "./extended_attributes.ts";
import { Post } from "./post.ts";

/** Set up alike but for the sandbox. */
export interface Posts {
  readonly sandboxed: Post;
  readonly bare: Post;
}

/** As a client starts it that says nothing. */
const PLAIN: ServerSetting = {};

/** All rows as they are; everything has a default. */
export type RangeOptions = Partial<Pick<Range, "flags" | "prefix" | "extended" | "controlledBy">>;

export class Range implements AsyncDisposable {
  readonly user: User;
  readonly attributes = new ExtendedAttributes();
  readonly #posts = new Map<ServerSetting, Promise<Posts>>();

  /** Flags that every sandboxed server gets in addition to its own. */
  readonly flags: readonly string[];
  /** A program, and its first words, that runs every sandboxed server that has none of its own. */
  readonly prefix: readonly string[];
  /** Whether ways are tried that nearly repeat others. */
  readonly extended: boolean;
  /** The user whose run has the controls of the ways that it tries; undefined: each control is tried here. */
  readonly controlledBy: User | undefined;

  constructor(user: User, { flags = [], prefix = [], extended = false, controlledBy }: RangeOptions = {}) {
    this.user = user;
    this.flags = flags;
    this.prefix = prefix;
    this.extended = extended;
    this.controlledBy = controlledBy;
  }

  /** The two servers that are set up so; the same for the same setting. */
  posts(setting: ServerSetting = PLAIN): Promise<Posts> {
    const begun = this.#posts.get(setting) ?? this.#start(setting);
    this.#posts.set(setting, begun);
    return begun;
  }

  /** Gives up servers that no longer answer; the next row gets new ones. */
  async renew(): Promise<void> {
    const given = [...this.#posts.values()];
    this.#posts.clear();
    // What is wrong with them has been told by the row that found it.
    await Promise.allSettled(given.map(ended));
  }

  /** Ends the servers; fails when one leaves processes, or had written more than messages. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.attributes[Symbol.dispose]();
    await Promise.all([...this.#posts.values()].map(ended));
  }

  /** One server of its own, set up so. */
  async post(kind: keyof Posts, { flags, ...setting }: ServerSetting): Promise<Post> {
    const enforced = kind === "sandboxed";
    return await Post.start(this.user, {
      ...enforced && { prefix: this.prefix },
      ...setting,
      enforced,
      flags: (bench) => [...flags?.(bench) ?? [], ...enforced ? this.flags : []],
    });
  }

  async #start(setting: ServerSetting): Promise<Posts> {
    const [sandboxed, bare] = await Promise.all([this.post("sandboxed", setting), this.post("bare", setting)]);
    return { sandboxed, bare };
  }
}

async function ended(posts: Promise<Posts>): Promise<void> {
  const { sandboxed, bare } = await posts;
  await sandboxed[Symbol.asyncDispose]();
  await bare[Symbol.asyncDispose]();
}
