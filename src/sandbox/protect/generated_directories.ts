/** Directories that build tools and package managers make and remove: full of files, and no place for repositories. */
const GENERATED: readonly string[] = [".cache", ".venv", "__pycache__", "dist", "node_modules", "target", "venv"];

/** Whether a path lies in such a directory, or is one. */
export function isGenerated(path: string): boolean {
  return path.split("/").some((name) => GENERATED.includes(name));
}
