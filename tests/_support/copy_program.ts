/**
 * Copies a program that the test starts. Another process does it: what this one writes may be open for a moment in a
 * child that another test file starts meanwhile, and such a program cannot be run ("Text file busy").
 */
export async function copyProgram(from: string, to: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("cp", { args: ["--", from, to] }).output();
  if (!success) throw new Error(`Cannot copy "${from}": ${new TextDecoder().decode(stderr)}`);
}
