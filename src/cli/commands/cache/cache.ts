/** `cache` (S25): what package managers keep for each scope is listed and cleared here. */
import { cachesOf } from "../../../app/program/scope_cache.ts";
import { UsageError } from "../../../base/errors.ts";
import { listCaches, removeCache, type ScopeCache, sizeOf } from "../../../sandbox/directories/scope_caches.ts";
import { listStores } from "../../../app/undo/undo_store.ts";
import { absolutePath, realPath } from "../../../system/paths.ts";
import { daysText, sizeText } from "../../terminal/columns.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print, printProblem } from "../../terminal/print.ts";
import { shorten } from "../../../base/visible_text.ts";

/** Resolves with the exit code; 1: a cache is in use, or there is none. @throws {UsageError} when the words are wrong */
export async function cache(context: CommandContext): Promise<number> {
  const [action = "list", ...named] = context.operands;
  const base = cachesOf(context.environment);
  const ofScopes = base === undefined
    ? []
    : (await listCaches(base)).map((one) => ({ ...one, kind: "cache" } as const));
  const stores = (await listStores(context.environment)).map((one) => ({ ...one, kind: "undo" } as const));
  const caches = [...ofScopes, ...stores];
  switch (action) {
    case "list":
      if (named[0] !== undefined) throw new UsageError(`Cannot list "${named[0]}" alone: cache list shows every cache`);
      return await list(caches, context);
    case "clear":
      return await clear(wanted(caches, named, context));
    default:
      throw new UsageError(`Cannot "${action}" caches. Say "cache list" or "cache clear [DIRECTORY]..."`);
  }
}

/** `undo`: what --undo keeps of a project. */
type KnownCache = ScopeCache & { readonly kind: "cache" | "undo" };

async function list(caches: readonly KnownCache[], { flags }: CommandContext): Promise<number> {
  const measured = await Promise.all(caches.map(async (one) => ({ ...one, bytes: await sizeOf(one.path) })));
  await print(flags.has("json") ? cachesAsJson(measured) : cacheLines(measured, Date.now()));
  return 0;
}

/** Caches by the given directory; undefined: there is none. */
function wanted(caches: readonly KnownCache[], named: readonly string[], { flags }: CommandContext) {
  if (flags.has("all")) {
    if (named[0] !== undefined) {
      throw new UsageError(`Cannot clear "${named[0]}" and all caches: name it, or give --all`);
    }
    return caches.map((one) => [one.scope ?? one.path, one] as const);
  }
  return (named.length === 0 ? ["."] : named).flatMap((given) => {
    const path = absolutePath(given, Deno.cwd());
    const scope = realPath(path) ?? path; // the cache of a directory that is gone can be cleared too
    const found: readonly (KnownCache | undefined)[] = caches.filter((one) => one.scope === scope);
    return (found.length === 0 ? [undefined] : found).map((one) => [scope, one] as const);
  });
}

async function clear(wanted: readonly (readonly [name: string, cache: KnownCache | undefined])[]): Promise<number> {
  let code = 0;
  for (const [name, one] of wanted) {
    const problem = one === undefined
      ? "there is none. See ahma_mcp cache list"
      : await removeCache(one)
      ? undefined
      : "a server is using it. End that first";
    const what = one?.kind === "undo" ? "what --undo kept" : "the cache";
    if (problem === undefined) await print(`Cleared ${what} of ${name}\n`);
    else {
      await printProblem(`Cannot clear ${what} of "${name}": ${problem}`);
      code = 1;
    }
  }
  if (wanted.length === 0) await print("There is no cache\n");
  return code;
}

/** A cache and the bytes of its files. */
interface MeasuredCache extends KnownCache {
  readonly bytes: number;
}

const LONGEST_SCOPE = 200;

/** One line a cache. `now`: milliseconds since 1970. */
function cacheLines(caches: readonly MeasuredCache[], now: number): string {
  if (caches.length === 0) return "There is no cache\n";
  return caches.map(({ scope, path, bytes, usedAt, isUsed, kind }) => {
    const used = isUsed ? "in use" : daysText(now - usedAt.getTime());
    return `${sizeText(bytes).padStart(9)}  ${used.padEnd(11)}  ${shorten(scope ?? path, LONGEST_SCOPE)}${
      kind === "undo" ? " (undo)" : ""
    }\n`;
  }).join("");
}

/** All of them. */
function cachesAsJson(caches: readonly MeasuredCache[]): string {
  const shown = caches.map(({ scope, path, bytes, usedAt, isUsed, kind }) => ({
    scope: scope ?? null,
    kind,
    path,
    bytes,
    used: usedAt.toISOString(),
    in_use: isUsed,
  }));
  return `${JSON.stringify({ caches: shown }, null, 2)}\n`;
}
