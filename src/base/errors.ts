/** An error the person (or agent) can act on: its message is shown as it stands, without a stack. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
