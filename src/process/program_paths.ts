/** Where `execve` looks for a program, in order, as a shell would. Pure. */
export function programPaths(program: string, path: readonly string[], directory: string): readonly string[] {
  if (program.startsWith("/")) return [program];
  if (program.includes("/")) return [`${directory}/${program}`];
  return path.map((entry) => `${entry}/${program}`);
}
