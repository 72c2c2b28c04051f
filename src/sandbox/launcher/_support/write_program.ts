/** Programs that unit tests write and run. */

/**
 * Writes an executable that can be run at once. Another process writes the file: a program that this process forks
 * meanwhile would hold it open for writing, and the kernel refuses to run such a file (ETXTBSY).
 */
export async function writeProgram(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const args = ["-c", 'cat > "$1" && chmod 700 "$1"', "sh", path];
  const child = new Deno.Command("sh", { args, stdin: "piped" }).spawn();
  await new Blob([bytes]).stream().pipeTo(child.stdin);
  const { success } = await child.status;
  if (!success) throw new Error(`Cannot write "${path}"`);
}
