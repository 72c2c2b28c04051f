/** `files_list`: lists a directory as a tree with sizes (K3). */
import { visibleName } from "../../base/visible_text.ts";
import { type Found, walk } from "../../system/tree/walk.ts";
import type { CallOf } from "../definition/groups.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import type { Tree } from "../../system/tree/tree.ts";

const DEFAULT_LIMIT = 500;

/** See the definition of `files_list`. */
export async function listDirectory(args: CallOf<"files_list">, { project, signal }: ToolContext): Promise<ToolResult> {
  const { path = ".", limit = DEFAULT_LIMIT, respect_git_ignore: respectIgnore = true, depth = 1 } = args;
  using tree = await project.tree(path);
  const children = new Map<string, readonly Found[]>();
  let total = 0;
  for await (const found of walk(tree, { respectIgnore, depth, signal })) {
    total += found.length;
    const [first] = found;
    if (first !== undefined && children.size < limit) children.set(parentOf(first.path), found);
  }
  const lines: string[] = [];
  addLines(tree, tree.from, { children, limit, respectIgnore, lines, indent: "" });
  const cut = lines.length < total
    ? [`[${lines.length} of ${total} entries; ask for a deeper path or a higher limit]`]
    : [];
  const title = `${tree.place.shown}/: ${total === 0 ? "empty" : total === 1 ? "1 entry" : `${total} entries`}`;
  return textResult([title, ...lines, ...cut].join("\n"));
}

interface Listing {
  readonly children: ReadonlyMap<string, readonly Found[]>;
  readonly limit: number;
  readonly respectIgnore: boolean;
  readonly lines: string[];
  readonly indent: string;
}

function addLines(tree: Tree, path: string, listing: Listing): void {
  const { children, limit, lines, indent, respectIgnore } = listing;
  for (const found of children.get(path) ?? []) {
    if (lines.length === limit) return;
    const name = visibleName(found.path.slice(path === "" ? 0 : path.length + 1));
    lines.push(`${indent}${name}${traits(tree, found)}${respectIgnore && found.isIgnored ? " (ignored)" : ""}`);
    addLines(tree, found.path, { ...listing, indent: `${indent}  ` });
  }
}

function traits(tree: Tree, { path, kind }: Found): string {
  switch (kind) {
    case "directory":
      return "/";
    case "link":
      return ` -> ${visibleName(tree.target(path) ?? "?")}`;
    case "file":
      return ` ${sizeText(Number(tree.stat(path)?.size ?? 0))}`;
    case "other":
      return " (no file)";
  }
}

/** As `ls -h`: exact below 1 KiB, then with one decimal below ten. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes}`;
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${"KMGT"[power - 1]}`;
}

function parentOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}
