import type { SandboxStatus, Service } from "./service.ts";

/** What `initialize` tells the client's model: descriptive, since commanding text counts as prompt injection (T13). */
export function instructionsOf(service: Service): string {
  const { settings, scope } = service;
  const mode = settings.synchronous
    ? "Every tool call waits for its command and returns the result."
    : "A tool call starts its command in the background and returns an operation id, unless the tool or " +
      '`execution_mode: "Synchronous"` says otherwise. `await` with that id returns the result, `status` shows how far ' +
      "things are, `cancel` ends an operation.";
  return [
    "Ahma runs command-line programs as tools. `sandboxed_shell` runs any shell command line.",
    mode,
    `Commands run in ${scope.roots.map((root) => `"${root}"`).join(", ")} or below.`,
    sandboxLine(settings.sandbox),
  ].join("\n");
}

/** The state of the sandbox on one line; loud when there is none (S14). */
export function sandboxLine(sandbox: SandboxStatus): string {
  return sandbox.enforced
    ? `Sandbox: ${sandbox.summary}`
    : `WARNING: NO SANDBOX, commands can reach everything this user can: ${sandbox.summary}`;
}
