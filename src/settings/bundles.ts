/** The shipped tool files in the packed program (T15), each evaluated only when asked for. */
import { UsageError } from "../base/errors.ts";
import type { ToolText } from "../catalog/load/read_directory.ts";
import { didYouMean } from "../base/suggest.ts";

type Embedded = Promise<{ readonly default: string }>;

const TOOLS: Readonly<Record<string, () => Embedded>> = {
  "bun": () => import("../../tools/bun.json", { with: { type: "text" } }),
  "cargo": () => import("../../tools/cargo.json", { with: { type: "text" } }),
  "cmake": () => import("../../tools/cmake.json", { with: { type: "text" } }),
  "deno": () => import("../../tools/deno.json", { with: { type: "text" } }),
  "docker": () => import("../../tools/docker.json", { with: { type: "text" } }),
  "file-tools": () => import("../../tools/file-tools.json", { with: { type: "text" } }),
  "gh": () => import("../../tools/gh.json", { with: { type: "text" } }),
  "git": () => import("../../tools/git.json", { with: { type: "text" } }),
  "go": () => import("../../tools/go.json", { with: { type: "text" } }),
  "gradlew": () => import("../../tools/gradlew.json", { with: { type: "text" } }),
  "kubectl": () => import("../../tools/kubectl.json", { with: { type: "text" } }),
  "make": () => import("../../tools/make.json", { with: { type: "text" } }),
  "maven": () => import("../../tools/maven.json", { with: { type: "text" } }),
  "npm": () => import("../../tools/npm.json", { with: { type: "text" } }),
  "pnpm": () => import("../../tools/pnpm.json", { with: { type: "text" } }),
  "pytest": () => import("../../tools/pytest.json", { with: { type: "text" } }),
  "python": () => import("../../tools/python.json", { with: { type: "text" } }),
  "quality_check": () => import("../../tools/quality_check.json", { with: { type: "text" } }),
  "ruff": () => import("../../tools/ruff.json", { with: { type: "text" } }),
  "ssh": () => import("../../tools/ssh.json", { with: { type: "text" } }),
  "uv": () => import("../../tools/uv.json", { with: { type: "text" } }),
  "yarn": () => import("../../tools/yarn.json", { with: { type: "text" } }),
};

/** Names of shipped tool files that `--bundles` takes; `all`: every one. */
export const BUNDLE_NAMES: readonly string[] = Object.keys(TOOLS);

/** Groups of native tools that `--bundles` takes; `toolbox`: every one but those of `ONLY_BY_NAME` (K1). */
export const TOOL_GROUPS = [
  "files",
  "files_patch",
  "search",
  "changes",
  "flow",
  "issues",
  "rules",
  "web",
  "memos",
  "todo",
  "question",
] as const;
export type ToolGroup = typeof TOOL_GROUPS[number];

/** Groups that most models do not need. */
const ONLY_BY_NAME: readonly ToolGroup[] = ["files_patch"];

/** All words that `--bundles` takes. */
export const BUNDLE_WORDS: readonly string[] = [...BUNDLE_NAMES, "all", ...TOOL_GROUPS, "toolbox"];

/** The groups of native tools among these names. */
export function toolGroups(names: readonly string[]): readonly ToolGroup[] {
  const all = names.includes("toolbox");
  return TOOL_GROUPS.filter((group) => names.includes(group) || all && !ONLY_BY_NAME.includes(group));
}

/**
 * The shipped tool files of these names, in that order, without native tools; `all`: every one.
 *
 * @throws {UsageError} when a name is not among them
 */
export async function embeddedTools(names: readonly string[]): Promise<ToolText[]> {
  const wanted = new Set(
    names.filter((name) => name !== "toolbox" && !TOOL_GROUPS.some((group) => group === name)).flatMap((name) =>
      name === "all" ? BUNDLE_NAMES : [name]
    ),
  );
  return await Promise.all(Array.from(wanted, async (name) => {
    const load = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    if (load === undefined) {
      const list = BUNDLE_WORDS.map((one) => `"${one}"`).join(", ");
      throw new UsageError(`Cannot offer bundle "${name}": expected one of ${list}${didYouMean(name, BUNDLE_WORDS)}`);
    }
    return { file: `${name}.json`, text: (await load()).default };
  }));
}
