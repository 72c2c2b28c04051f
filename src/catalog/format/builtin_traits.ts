/** What other rooms need to know of a built-in tool (B1); everything else is in its own file in `service/builtin`. */
export interface BuiltinTraits {
  /** A call changes nothing, so it may be repeated after the loss of a server process (H6). */
  readonly readOnly: boolean;
  /** A call runs a command, so it may become a task of the protocol (X5a). */
  readonly supportsTask: boolean;
  /** `ahma_mcp NAME` means `ahma_mcp call NAME` (L5). */
  readonly callableWithoutCall: boolean;
  /** The argument that `call` fills with the words of the command line (L5). */
  readonly wordArgument: "command" | "operation_id";
}

const OF_OPERATIONS = { supportsTask: false, callableWithoutCall: false, wordArgument: "operation_id" } as const;

/** Name of the tool that runs a shell command line (B5); the one built-in tool that may be a step of a sequence. */
export const SHELL_TOOL_NAME = "sandboxed_shell";

/** The tools that `--lean` lists instead of others. */
export const FIND_TOOLS_NAME = "find_tools";
export const CALL_TOOL_NAME = "call_tool";

/** The tool of `--code-mode`. */
export const RUN_SCRIPT_NAME = "run_script";

/** The built-in tools (B1), in the order in which they are listed. */
const TRAITS = {
  await: { ...OF_OPERATIONS, readOnly: true },
  cancel: { ...OF_OPERATIONS, readOnly: false },
  [SHELL_TOOL_NAME]: { readOnly: false, supportsTask: true, callableWithoutCall: true, wordArgument: "command" },
  send: { ...OF_OPERATIONS, readOnly: false },
  status: { ...OF_OPERATIONS, readOnly: true },
} as const satisfies Readonly<Record<string, BuiltinTraits>>;

export type BuiltinName = keyof typeof TRAITS;

/** The row of a built-in tool; undefined: no built-in tool has this name. */
export function builtinTraits(name: BuiltinName): BuiltinTraits;
export function builtinTraits(name: string): BuiltinTraits | undefined;
export function builtinTraits(name: string): BuiltinTraits | undefined {
  // The keys of `TRAITS` are exactly the names.
  return Object.hasOwn(TRAITS, name) ? TRAITS[name as BuiltinName] : undefined;
}

/** Whether a call of any tool may become a task: the work of every tool that is not built in can take long. */
export function supportsTask(name: string): boolean {
  return name !== FIND_TOOLS_NAME && (builtinTraits(name)?.supportsTask ?? true);
}
