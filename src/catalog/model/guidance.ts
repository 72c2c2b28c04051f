import { visibleText } from "../../base/visible_text.ts";
import type { HintsDefinition } from "../format/mtdf_parts.ts";

/** Words that show that a description already mentions running in the background (T4). */
export const MENTIONS_BACKGROUND = /\b(async|asynchronous|asynchronously|background|operation id|await|notif\w+)\b/i;

/** Promises a synchronous leaf cannot keep (T4). */
export const PROMISES_ASYNC =
  /\b(asynchronously|(runs?|running|executed?|works?) (async|in the background)|returns? (an? |the )?(operation )?id\b|notifi\w+ (you )?(on|when|once))/i;

/** The description of a leaf: its own, then the hint for it. */
export function describedWith(own: string, hint: string | undefined): string {
  return [own.trim(), hint]
    .filter((part) => part !== undefined && part !== "")
    .map((part) => visibleText(part ?? ""))
    .join("\n\n");
}

/** The hint for a subcommand (its names joined by `_`; empty for the tool), else the default one. */
export function hintFor(hints: HintsDefinition | undefined, subcommand: string): string | undefined {
  if (hints === undefined) return undefined;
  return own(hints.custom, subcommand) ?? own(hints, subcommand) ?? own(hints.custom, "default") ??
    own(hints, "default");
}

function own(hints: Readonly<Record<string, unknown>> | undefined, key: string): string | undefined {
  const hint = hints !== undefined && key !== "" && Object.hasOwn(hints, key) ? hints[key] : undefined;
  return typeof hint === "string" ? hint : undefined;
}
