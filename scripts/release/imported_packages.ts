/** Which packages the program imports, asked of the runtime: tests import others. */

/** What `deno info --json` says, as far as it is read here. */
interface ModuleGraph {
  readonly modules: readonly { readonly npmPackage?: string }[];
  readonly npmPackages: Readonly<Record<string, { readonly dependencies: readonly string[] }>>;
}

/** What people install begins with these: the program, its workers, and what packs the data of these. */
const FIRST_MODULES: readonly string[] = ["main.ts", "src/toolbox/worker/worker.ts", "scripts/bundle/grammars.ts"];

/** Each as `name@version`, in the order of their names: what modules import, and what these packages need. */
export async function importedPackages(): Promise<readonly string[]> {
  const found = await Promise.all(FIRST_MODULES.map(packagesOf));
  return [...new Set(found.flat())].toSorted();
}

async function packagesOf(module: string): Promise<readonly string[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--unstable-raw-imports", module],
    cwd: new URL("../../", import.meta.url),
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(`Cannot ask deno info for the packages: ${text.decode(stderr)}`);
  const { modules, npmPackages }: ModuleGraph = JSON.parse(text.decode(stdout));
  const found = new Set<string>();
  const wanted = modules.flatMap(({ npmPackage }) => npmPackage ?? []);
  for (let id = wanted.pop(); id !== undefined; id = wanted.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    wanted.push(...npmPackages[id]?.dependencies ?? []);
  }
  return [...found];
}
