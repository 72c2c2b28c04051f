/** Tool files that commands plant, and what the server then does and says. */
import { until } from "../../_support/deadline.ts";
import type { ServerProcess } from "../../_support/server_process.ts";
import { exists, type Workbench } from "../../_support/workbench.ts";
import type { Scene, ServerSetting, Way } from "../frame/attack.ts";
import { newMarker } from "../frame/post.ts";
import { driven, together, writeTools } from "../frame/stage.ts";

/** What a command does to the project, and what is there before. */
export interface Planting {
  /** The tool files of the project before. Absent: no such directory. */
  readonly had?: Readonly<Record<string, object | string>>;
  /** The shell line. `secret` holds the marker, `tools` is a directory outside with files that tell it. */
  readonly line: (place: PlantingPlace) => string;
  /** What the control does instead, where the server refuses the same with and without a sandbox. */
  readonly bare?: (place: PlantingPlace) => string;
  /** The tools called in the end, each of which tells the secret in the control; default "planted". */
  readonly calls?: readonly string[];
  /** Files outside, without ".json", each of which is told of in the control. */
  readonly told?: readonly string[];
  /** Why the control leaves it out. */
  readonly noControl?: string;
  /** Left out by the tests, as another line does nearly the same. */
  readonly extended?: true;
}

export interface PlantingPlace {
  readonly secret: string;
  readonly tools: string;
  /** Whether a race is short. */
  readonly brief: boolean;
}

/** In the descriptions of what is planted. */
const LABEL = "(planted)";

/** A tool that prints a file. */
export function printing(path: string, name = "planted"): object {
  return { name, description: `Prints. ${LABEL}`, command: `cat ${path}`, synchronous: true };
}

/** Three files outside: tools that tell the marker, of which one is for a second name, and one with a mistake. */
function writeOutside(bench: Workbench, directory: string, marker: string): void {
  for (const name of ["planted", "second"]) {
    const told = { name, description: `Tells ${marker}-${name}. ${LABEL}`, command: "echo", synchronous: true };
    bench.write(`${directory}/${name}.json`, JSON.stringify(told));
  }
  bench.write(`${directory}/wrong.json`, `{"name": "wrong", "${marker}-wrong": "${marker}-wrong"}`);
}

/** Milliseconds in which a server on a busy machine reads its tool files again. */
const READ_AGAIN = 20_000;
/** The same where nothing tells that it has, because it must not read anything there. */
const NOTICED = 2_500;
/** The tool of the file that the user adds after the command: its reader has read what was planted. */
const FENCE = "fence";

/** A server whose tool files change while it runs, and whose project is empty before each attempt and after it. */
export const EMPTY_PROJECT: ServerSetting = { flags: () => ["--sync"] };

/**
 * Whether the secret comes out by a tool that a line planted, by the listing, or by what is said about files. The lines
 * are run in turn on one server.
 */
export function plants(plantings: Readonly<Record<string, Planting>>): Way {
  const does = driven(async (scene) => {
    const tried = Object.entries(plantings).filter(([, { noControl, extended }]) =>
      (scene.enforced || noControl === undefined) && (!scene.brief || extended === undefined)
    );
    const achieved = await together(scene, Object.fromEntries(tried), async (planting) => {
      await putBack(scene, planting.had ?? {});
      return await tellsAfter(scene, planting);
    });
    await putBack(scene, {});
    return achieved;
  });
  return { does, aim: "evidence", sharedServer: EMPTY_PROJECT };
}

/** A person puts in the project what was there before a line, and the server reads it. */
async function putBack({ running, bench }: Scene, had: NonNullable<Planting["had"]>): Promise<void> {
  await bench.clearScope();
  writeTools(bench, had);
  const isRead = async () => {
    const tools = JSON.stringify((await running.request("tools/list")).result);
    const isLeft = [LABEL, `"${FENCE}"`].some((text) => tools.includes(text));
    return !isLeft && Object.keys(had).every((name) => tools.includes(`"${name}"`));
  };
  await until(isRead, READ_AGAIN, "the project as it was");
}

async function tellsAfter(scene: Scene, planting: Planting): Promise<string | undefined> {
  const { enforced, running: server, bench, brief } = scene;
  const marker = newMarker();
  const outside = `${bench.elsewhere}/${crypto.randomUUID()}`;
  const place: PlantingPlace = { secret: `${outside}/secret`, tools: `${outside}/tools`, brief };
  bench.write(place.secret, `${marker}\n`);
  writeOutside(bench, place.tools, marker);
  const line = (enforced ? planting.line : planting.bare ?? planting.line)(place);
  const { text } = await server.shell(line, { timeout_seconds: 20 });
  const isFenced = enforced && addsFence(bench);
  const patience = enforced && !isFenced ? NOTICED : READ_AGAIN;
  const calls = planting.calls ?? ["planted"];
  const isThere = (tools: string) =>
    calls.every((tool) => tools.includes(`"${tool}"`)) && tools.split(LABEL).length > calls.length;
  const untold = (said: string) => (planting.told ?? []).filter((name) => !said.includes(`${marker}-${name}`));
  const isTold = (said: string) => enforced || untold(said).length === 0;
  const said = `${text}\n${await everythingSaid(server, { marker, patience, isFenced, isThere, isTold })}`;
  const called: string[] = [];
  for (const tool of calls) {
    called.push(JSON.stringify(await server.request("tools/call", { name: tool, arguments: {} })));
  }
  if (!enforced && calls.length > 1 && !called.every((answer) => answer.includes(marker))) {
    throw new Error(`A tool told nothing without the sandbox: ${called.join("\n")}`);
  }
  const all = [said, ...called, server.stderr].join("\n");
  const missing = untold(all);
  if (!enforced && missing.length > 0) throw new Error(`Nothing was told of ${missing.join(", ")}: ${all}`);
  const at = all.indexOf(marker);
  return at < 0 ? undefined : `the secret came out: ${all.slice(Math.max(0, at - 150), at + 60)}`;
}

/** Adds a tool file where the server looks for them; false: what is there leads out of the project. */
function addsFence(bench: Workbench): boolean {
  const directory = [".ahma/tools", ".ahma"].find((path) => isInside(`${bench.scope}/${path}`, bench.scope));
  if (directory === undefined) return false;
  const tool = { name: FENCE, description: "The last file.", command: "echo", synchronous: true };
  bench.write(`${directory}/${FENCE}.json`, JSON.stringify(tool));
  return true;
}

/** Whether the directory is there or could be made, within the project. */
function isInside(path: string, project: string): boolean {
  if (!exists(path)) return isInside(path.slice(0, path.lastIndexOf("/")), project);
  return `${Deno.realPathSync(path)}/`.startsWith(`${Deno.realPathSync(project)}/`);
}

interface Asking {
  readonly marker: string;
  readonly patience: number;
  /** Whether the fence tells that the files were read. */
  readonly isFenced: boolean;
  /** Whether the tools that are called in the end are among those that the server lists. */
  readonly isThere: (tools: string) => boolean;
  /** Whether the control has said what it is to say. */
  readonly isTold: (said: string) => boolean;
}

/** Asks for tools and status until what was planted shows, or the files have been read. */
async function everythingSaid(server: ServerProcess, asking: Asking): Promise<string> {
  const { marker, patience, isFenced, isThere, isTold } = asking;
  const end = performance.now() + patience;
  let tools = "";
  let status = "";
  const isOver = async () => {
    tools = JSON.stringify((await server.request("tools/list")).result);
    status = (await server.call("status")).text;
    // The status names the line itself among what has ended.
    const shows = tools.includes("planted") && isThere(tools) || status.includes(marker);
    if (shows && isTold(tools + status) || tools.includes(`"${FENCE}"`)) return true;
    if (performance.now() <= end) return false;
    if (isFenced) throw new Error(`The tool files were not read again: ${tools}`);
    return true;
  };
  await until(isOver, patience + READ_AGAIN, "the tools and the status");
  return `${tools}\n${status}`;
}
