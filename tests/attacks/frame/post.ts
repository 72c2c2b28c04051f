/** One server that is attacked, in its own bench: with the sandbox, or without it for the positive controls. */
import { ServerProcess } from "../../_support/server_process.ts";
import { until } from "../../_support/deadline.ts";
import type { OutsideTree } from "../means/outside_tree.ts";
import type { ServerSetting } from "./attack.ts";
import { type User, Workbench } from "../../_support/workbench.ts";

/** Files of credentials in the server's home; each holds the server's marker. */
export const CREDENTIALS: readonly string[] = [
  ".ssh/id_ed25519",
  ".ssh/config",
  ".aws/credentials",
  ".gnupg/private-keys-v1.d/key",
  ".netrc",
  ".npmrc",
  ".docker/config.json",
  ".kube/config",
  ".config/gh/hosts.yml",
  ".config/gcloud/credentials.db",
  ".git-credentials",
  ".cargo/credentials.toml",
  ".mozilla/firefox/default/logins.json",
  ".config/google-chrome/Default/Login Data",
  ".bash_history",
];

/** How to start. */
export interface PostOptions extends ServerSetting {
  readonly enforced: boolean;
}

export class Post implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly #listeners = new Set<(message: string) => void>();
  /** Trees outside the scope that attempts left as they were. */
  readonly unaltered: OutsideTree[] = [];

  private constructor(
    readonly user: User,
    readonly enforced: boolean,
    readonly bench: Workbench,
    readonly server: ServerProcess,
    /** Of this server: in its environment and in its home. */
    readonly marker: string,
    stack: AsyncDisposableStack,
  ) {
    this.#stack = stack;
    server.listen((message) => {
      const text = JSON.stringify(message);
      for (const listener of this.#listeners) listener(text);
    });
  }

  /** Starts the packed program as `user`. */
  static async start(user: User, options: PostOptions): Promise<Post> {
    await using stack = new AsyncDisposableStack();
    const bench = stack.use(new Workbench(user));
    const marker = newMarker();
    for (const path of CREDENTIALS) bench.write(`${bench.home}/${path}`, `${marker}\n`);
    const prefix = typeof options.prefix === "function" ? options.prefix(user) : options.prefix;
    const server = stack.use(
      await ServerProcess.start(bench, {
        flags: [...options.enforced ? [] : ["--no-sandbox"], ...options.flags?.(bench, options.enforced) ?? []],
        environment: { ATTACKED_TOKEN: marker, ...options.environment },
        ...prefix !== undefined && { prefix },
        ...options.permissions !== undefined && { permissions: options.permissions },
      }),
    );
    const post = new Post(user, options.enforced, bench, server, marker, stack.move());
    const { lists = [] } = options;
    const areListed = (tools: string) => lists.every((tool) => tools.includes(`"${tool}"`));
    if (lists.length > 0) await until(async () => areListed(await post.tools()), 20_000, lists.join(" and "));
    return post;
  }

  /** From now on messages are searched for `text`; the function it gives says whether one had it, or stderr has it. */
  listenFor(text: string): () => boolean {
    let heard = false;
    const listener = (message: string) => heard ||= message.includes(text);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      return heard || this.server.stderr.includes(text);
    };
  }

  /** What `tools/list` answers now, as text. */
  async tools(): Promise<string> {
    return JSON.stringify((await this.server.request("tools/list")).result);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** A text that no program can guess. */
export function newMarker(): string {
  return `mark${crypto.randomUUID().replaceAll("-", "")}`;
}
