/** The rooms of `src/` and the floor each stands on. An import goes strictly to a lower floor, or stays in its room. */
export const FLOORS: Readonly<Record<string, number>> = {
  base: 0,
  system: 1,
  wire: 1,
  logging: 1,
  sandbox: 2,
  catalog: 2,
  operation: 2,
  prompt: 2,
  consent: 2,
  relay: 2,
  undo: 2,
  process: 3,
  command: 3,
  control: 3,
  secrets: 3,
  ssh_agent: 3,
  telemetry: 3,
  service: 4,
  settings: 4,
  child_server: 4,
  http: 4,
  bridge: 5,
  dashboard: 5,
  upstream: 5,
  toolbox: 5,
  app: 6,
  cli: 7,
};

/**
 * The path inside `src/` of a file name or URL, or undefined when it lies elsewhere.
 *
 * @example `placeInSource("/x/src/cli/program.ts")` is `"cli/program.ts"`
 */
export function placeInSource(file: string): string | undefined {
  return /(?:^|[\\/])src[\\/](.+)$/.exec(file)?.[1]?.replaceAll("\\", "/");
}

/** Where a relative import of `place` (a path inside `src/`) leads, inside `src/`; begins with `../` when it leaves it. */
export function resolveInSource(place: string, specifier: string): string {
  const parts = place.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "." || part === "") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}

/**
 * Why a file of `src/` may not import `specifier`, or undefined when it may. Packages are not judged here, and data
 * outside `src/` (the schema, shipped tools and prompts) may be imported as JSON or text.
 */
export function importProblem(place: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const target = resolveInSource(place, specifier);
  if (target.startsWith("../")) {
    return /\.(json|md)$/.test(target) ? undefined : `Code of "src" may not import "${specifier}": it lies outside`;
  }
  const [from, to] = [roomOf(place), roomOf(target)];
  if (from === to) return undefined;
  const [fromFloor, toFloor] = [FLOORS[from], FLOORS[to]];
  if (fromFloor === undefined) return `Room "${from}" has no floor: add it to scripts/lint/floors.ts`;
  if (toFloor === undefined) return `Room "${to}" has no floor: add it to scripts/lint/floors.ts`;
  if (toFloor < fromFloor) return undefined;
  return `Room "${from}" (floor ${fromFloor}) may not import room "${to}" (floor ${toFloor}): only lower floors`;
}

function roomOf(place: string): string {
  return place.split("/")[0] ?? "";
}
