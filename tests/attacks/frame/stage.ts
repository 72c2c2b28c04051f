/** Servers in benches of their own, for rows about how a server starts, is set up and ends. */
import { ServerProcess, type StartOptions } from "../../_support/server_process.ts";
import { Workbench } from "../../_support/workbench.ts";
import type { Attack, Driven, Scene, Way } from "./attack.ts";

export interface Setting extends Omit<StartOptions, "flags"> {
  /** Flags of the program in addition to `--no-sandbox`, which the control gets. */
  readonly flags?: (bench: Workbench) => readonly string[];
  /** Writes what must be there before the start. */
  readonly prepare?: (bench: Workbench) => void;
}

/** Starts a server for the scene's user, with the sandbox or without it as the scene says, and ends it after `act`. */
export async function withServer<Result>(
  scene: Scene,
  setting: Setting,
  act: (server: ServerProcess, bench: Workbench) => Promise<Result>,
): Promise<Result> {
  using bench = new Workbench(scene.user);
  setting.prepare?.(bench);
  const { flags, prepare: _prepare, ...rest } = setting;
  await using server = await ServerProcess.start(bench, {
    ...rest,
    flags: [...scene.enforced ? [] : ["--no-sandbox"], ...flags?.(bench) ?? []],
  });
  return await act(server, bench);
}

/** Writes tool files into the project's directory. */
export function writeTools(bench: Workbench, files: Readonly<Record<string, object | string>>): void {
  for (const [name, tool] of Object.entries(files)) {
    bench.write(`.ahma/tools/${name}.json`, typeof tool === "string" ? tool : JSON.stringify(tool));
  }
}

/** Code that drives the server and gives what it achieved; undefined: nothing. */
export function driven(act: (scene: Scene) => Promise<string | undefined>): {
  readonly drive: (scene: Scene) => Promise<Driven>;
} {
  return { drive: async (scene) => ({ achieved: await act(scene) }) };
}

/**
 * Attempts on one server, in turn: what one of them achieved is enough. In the control each must have its effect, so
 * that none hides behind another.
 */
export async function together<Attempt>(
  scene: Pick<Scene, "enforced">,
  attempts: Readonly<Record<string, Attempt>>,
  act: (attempt: Attempt) => Promise<string | undefined>,
): Promise<string | undefined> {
  const achieved: string[] = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    const what = await act(attempt);
    if (what !== undefined) achieved.push(`${name}: ${what}`);
    else if (!scene.enforced) throw new Error(`"${name}" has no effect without the sandbox`);
  }
  return achieved.length === 0 ? undefined : achieved.join("; ");
}

/** Ways of which the row tries others that take nearly the same path. */
export function extended(ways: Attack["ways"]): Attack["ways"] {
  return Object.fromEntries(
    Object.entries(ways).map(([name, way]) => {
      return [name, { ...typeof way === "function" ? { does: way } : way, extended: true }];
    }),
  );
}

/** A number that no other test uses: names processes by an argument. */
export function newSeed(): string {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}

/** Of ways whose controls are the same one is enough: each costs the start of a server. */
export function withOneControl(ways: Readonly<Record<string, Way>>): Readonly<Record<string, Way>> {
  const [first, ...others] = Object.entries(ways);
  if (first === undefined) return {};
  const noControl = `it would be that of "${first[0]}"`;
  return Object.fromEntries([first, ...others.map(([name, { control: _, ...way }]) => [name, { ...way, noControl }])]);
}
