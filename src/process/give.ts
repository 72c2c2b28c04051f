import type { LauncherProcess } from "./spawn.ts";

/** Writes all of stdin and closes it; false when the process was gone before it took it. */
export async function give(process: Pick<LauncherProcess, "stdin">, text: Uint8Array): Promise<boolean> {
  const writer = process.stdin.getWriter();
  try {
    await writer.write(text);
    await writer.close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionReset) return false;
    throw error;
  }
}
