/** The bundled rules (K8). */
import type { PromptText } from "../../../prompt/format/read_prompt.ts";
import DEBUGGER_LEFT from "../../../../rules/debugger-left.md" with { type: "text" };
import FOCUSED_TEST from "../../../../rules/focused-test.md" with { type: "text" };
import HOSTILE_INPUT from "../../../../rules/hostile-input.md" with { type: "text" };
import MERGE_CONFLICT from "../../../../rules/merge-conflict.md" with { type: "text" };
import MISLEADING_WORDS from "../../../../rules/misleading-words.md" with { type: "text" };
import PRIVATE_KEY from "../../../../rules/private-key.md" with { type: "text" };
import SERVICE_TOKEN from "../../../../rules/service-token.md" with { type: "text" };
import SHELL_FROM_TEXT from "../../../../rules/shell-from-text.md" with { type: "text" };
import SWALLOWED_ERROR from "../../../../rules/swallowed-error.md" with { type: "text" };
import TLS_UNCHECKED from "../../../../rules/tls-unchecked.md" with { type: "text" };

const TEXTS: Readonly<Record<string, string>> = {
  "debugger-left": DEBUGGER_LEFT,
  "focused-test": FOCUSED_TEST,
  "hostile-input": HOSTILE_INPUT,
  "merge-conflict": MERGE_CONFLICT,
  "misleading-words": MISLEADING_WORDS,
  "private-key": PRIVATE_KEY,
  "service-token": SERVICE_TOKEN,
  "shell-from-text": SHELL_FROM_TEXT,
  "swallowed-error": SWALLOWED_ERROR,
  "tls-unchecked": TLS_UNCHECKED,
};

export const BUNDLED_RULES: readonly PromptText[] = Object.entries(TEXTS).map(([name, text]) => ({
  name,
  origin: "bundled",
  file: `${name}.md`,
  text,
}));
