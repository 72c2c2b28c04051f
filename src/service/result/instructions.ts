import { earlyAnswer, listedName, namedScope } from "./listed_texts.ts";
import type { SandboxStatus, Service } from "../service.ts";

/** The instructions of `initialize`: they describe, since imperative text counts as prompt injection (T13). */
export function instructionsOf(service: Service): string {
  const answer = earlyAnswer(service);
  const name = (tool: string) => `\`${listedName(service, tool)}\``;
  return [
    `Ahma runs command-line programs as tools. ${name("sandboxed_shell")} runs any shell command line.`,
    answer === undefined
      ? "Every tool call waits for its command and returns the result."
      : `A tool call returns the result; unless the tool or \`execution_mode\` says otherwise, ${answer}. ` +
        `${name("status")} shows progress, ${name("cancel")} ends an operation.`,
    `Commands run in ${namedScope(service)} or below.`,
    sandboxLine(service.settings.sandbox),
    ...service.instructions?.() ?? [],
  ].join("\n");
}

/** The state of the sandbox on one line; a warning when there is none (S14). */
export function sandboxLine(sandbox: SandboxStatus): string {
  return sandbox.enforced
    ? `Sandbox: ${sandbox.summary}`
    : `WARNING: NO SANDBOX, commands can reach everything this user can: ${sandbox.summary}`;
}
