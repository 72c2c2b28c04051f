/**
 * Writes .claude-plugin/, which makes this repository a marketplace of Claude Code; package_plugin_test.ts compares.
 *
 *   deno task package:plugin
 */
import { claudeMarketplace, claudePlugin } from "./npx_entries.ts";
import { projectFacts } from "../project.ts";

/** The two files by their paths in the repository. */
export function pluginFiles(): ReadonlyMap<string, string> {
  const project = projectFacts(undefined);
  const text = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  return new Map([
    [".claude-plugin/plugin.json", text(claudePlugin(project))],
    [".claude-plugin/marketplace.json", text(claudeMarketplace(project))],
  ]);
}

if (import.meta.main) {
  const root = new URL("../../../", import.meta.url);
  for (const [path, text] of pluginFiles()) await Deno.writeTextFile(new URL(path, root), text);
}
