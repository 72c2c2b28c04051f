/** Git's configuration where a person has opened more trees to commands since the first command (S35). */
import type { ProtectedChange } from "../../../base/command/protected_change.ts";
import type { PinnedDirectory } from "../../../sandbox/policy/policy.ts";
import { isWithin } from "../../../system/paths.ts";
import type { GitConfig } from "./open_git_config.ts";

/** Both as one. `session` continues, so that a new start accepts no changes. Only `further`'s `trees` are disposed. */
export function withFurther(
  session: GitConfig,
  further: GitConfig | undefined,
  trees: readonly PinnedDirectory[],
): GitConfig {
  const both = further === undefined ? [session] : [session, further];
  const brokers = both.flatMap(({ broker }) => broker ?? []);
  const isFurther = (path: string) => trees.some((tree) => isWithin(path, tree.path));
  return {
    broker: brokers.length === 0 ? undefined : {
      add: (paths) => brokers.forEach((one) => one.add(paths)),
      follow: (view) => brokers.forEach((one) => one.follow(view)),
      get links() {
        return new Map(brokers.flatMap(({ links }) => [...links]));
      },
      settle: () => joined(brokers.map((one) => one.settle())),
    },
    made: {
      begin: async ({ directories, bare }) =>
        await further?.made.begin({ directories: directories.filter(isFurther), bare: bare.filter(isFurther) }),
      get isComplete() {
        return both.every(({ made }) => made.isComplete);
      },
      get kept() {
        return new Set(both.flatMap(({ made }) => [...made.kept]));
      },
      settle: (how) => joined(both.map(({ made }) => made.settle(how))),
    },
    [Symbol.dispose]: () => further?.[Symbol.dispose](),
  };
}

function joined(
  settling: readonly (Promise<readonly ProtectedChange[]> | undefined)[],
): Promise<readonly ProtectedChange[]> | undefined {
  const under = settling.filter((one) => one !== undefined);
  return under.length === 0 ? undefined : Promise.all(under).then((changes) => changes.flat());
}
