/** The servers of one user over which rows are run, sandboxed and bare ones for each setting, started when first needed. */
import type { User } from "../../_support/workbench.ts";
import type { ServerSetting } from "./attack.ts";
import { ExtendedAttributes } from "../means/extended_attributes.ts";
import { Post } from "./post.ts";

/** What two servers that are set up alike differ in. */
export type Kind = "sandboxed" | "bare";

/** As a client starts it that says nothing. */
const PLAIN: ServerSetting = {};

/** All rows as they are; everything has a default. */
export type RangeOptions = Partial<Pick<Range, "flags" | "prefix" | "extended" | "brief" | "controlledBy">>;

export class Range implements AsyncDisposable {
  readonly user: User;
  readonly attributes = new ExtendedAttributes();
  readonly #posts = {
    sandboxed: new Map<ServerSetting, Promise<Post>>(),
    bare: new Map<ServerSetting, Promise<Post>>(),
  } satisfies Readonly<Record<Kind, unknown>>;

  /** Flags that every sandboxed server gets in addition to its own. */
  readonly flags: readonly string[];
  /** A program, and its first words, that runs every sandboxed server that has none of its own. */
  readonly prefix: readonly string[];
  /** Whether ways are tried that nearly repeat others. */
  readonly extended: boolean;
  /** Whether what is a matter of chance ends early: in the tests it does, in `deno task attacks` not. */
  readonly brief: boolean;
  /** The user whose run has the controls of the ways that it tries; undefined: each control is tried here. */
  readonly controlledBy: User | undefined;

  constructor(
    user: User,
    { flags = [], prefix = [], extended = false, brief = false, controlledBy }: RangeOptions = {},
  ) {
    this.user = user;
    this.flags = flags;
    this.prefix = prefix;
    this.extended = extended;
    this.brief = brief;
    this.controlledBy = controlledBy;
  }

  /** The server that is set up so; the same for the same setting. Where all ways leave out the control, there is none. */
  shared(kind: Kind, setting: ServerSetting = PLAIN): Promise<Post> {
    const begun = this.#posts[kind].get(setting) ?? this.post(kind, setting);
    this.#posts[kind].set(setting, begun);
    return begun;
  }

  /** Gives up servers that no longer answer; the next row gets new ones. */
  async renew(): Promise<void> {
    const given = this.#given();
    for (const posts of Object.values(this.#posts)) posts.clear();
    // What is wrong with them has been told by the row that found it.
    await Promise.allSettled(given.map(ended));
  }

  /** Ends the servers; fails when one leaves processes, or had written more than messages. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.attributes[Symbol.dispose]();
    await Promise.all(this.#given().map(ended));
  }

  /** One server of its own, set up so. */
  async post(kind: Kind, { flags, ...setting }: ServerSetting): Promise<Post> {
    const enforced = kind === "sandboxed";
    return await Post.start(this.user, {
      ...enforced && { prefix: this.prefix },
      ...setting,
      enforced,
      flags: (bench) => [...flags?.(bench, enforced) ?? [], ...enforced ? this.flags : []],
    });
  }

  #given(): readonly Promise<Post>[] {
    return Object.values(this.#posts).flatMap((posts) => [...posts.values()]);
  }
}

async function ended(post: Promise<Post>): Promise<void> {
  await (await post)[Symbol.asyncDispose]();
}
