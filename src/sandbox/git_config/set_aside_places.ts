/** Where repositories lie that git outside must not see, and links that lead there for commands only (S24). Pure. */

/** A directory of the root that commands see, and of no other. */
const ROOT = "/.ahma_mcp";
/** The entries by which git recognizes a repository: these are set aside. */
export const ASIDE_NAMES = [".git", "refs", "commondir"] as const;
const CONTENT = /^\/[0-9a-f-]{36}\/git$/;
const LINK = /^\/\.ahma_mcp(\/.+)\/[0-9a-f-]{36}\/git$/;

/** Directories of a canonical tree that may hold them: inside its repository, or where it has none. */
export function storesOf(tree: string): readonly [string, string] {
  const base = tree === "/" ? "" : tree;
  return [`${base}/.git/ahma_mcp`, `${base}/.ahma_mcp`];
}

/** Whether something that was set aside lies at the path itself. */
export function isInStore(path: string, tree: string): boolean {
  return storesOf(tree).some((store) => path.startsWith(`${store}/`) && CONTENT.test(path.slice(store.length)));
}

/** Links in the root of commands, by path. */
export function storeLinks(trees: readonly string[]): ReadonlyMap<string, string> {
  return new Map(trees.flatMap(storesOf).map((store) => [`${ROOT}${store}`, store]));
}

/** The link that replaces something set aside. */
export function linkTo(store: string, id: string): string {
  return `${ROOT}${store}/${id}/git`;
}

/** The path that a link stands for; undefined: it is another link. */
export function setAsideAt(target: string): string | undefined {
  return LINK.test(target) ? target.slice(ROOT.length) : undefined;
}
