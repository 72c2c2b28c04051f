import type { LauncherProcess } from "./spawn.ts";

/** Writes `parts` to stdin, one by one, and closes it; false when the process was gone before it took all. */
export async function writeAndClose(
  process: Pick<LauncherProcess, "stdin">,
  ...parts: readonly Uint8Array[]
): Promise<boolean> {
  const writer = process.stdin.getWriter();
  try {
    for (const part of parts) await writer.write(part);
    await writer.close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionReset) return false;
    throw error;
  }
}
