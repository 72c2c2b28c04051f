/** Tool files that commands plant, and what the server then does and says. */
import type { ServerProcess } from "../_support/server_process.ts";
import type { Workbench } from "../_support/workbench.ts";
import type { Scene, Way } from "./attack.ts";
import { newMarker } from "./post.ts";
import { driven, withServer, writeTools } from "./stage.ts";

/** What a command does to the project, and what is there before. */
export interface Planting {
  /** The tool files of the project at the start. Absent: no such directory. */
  readonly had?: Readonly<Record<string, object | string>>;
  /** The shell line. `secret` holds the marker, `tools` is a directory outside with a tool file that tells it. */
  readonly line: (place: PlantingPlace) => string;
  /** What the control does instead, where the server refuses the same with and without a sandbox. */
  readonly bare?: (place: PlantingPlace) => string;
  /** The tool called in the end; default "planted". */
  readonly calls?: string;
}

export interface PlantingPlace {
  readonly secret: string;
  readonly tools: string;
  readonly out: string;
}

/** A tool that prints a file. */
export function printing(path: string, name = "planted"): object {
  return { name, description: "Prints. (planted)", command: `cat ${path}`, synchronous: true };
}

/** Milliseconds in which the server notices a change. */
const NOTICED = 2_500;
/** The same for the control, which ends as soon as it has: the machine may be busy. */
const IN_VAIN = 20_000;

/** Whether the secret comes out by a tool that the line planted, by the listing, or by what is said about files. */
export function plants(planting: Planting): Way {
  return { does: driven((scene) => tellsAfter(scene, planting)), aim: "evidence" };
}

async function tellsAfter(scene: Scene, planting: Planting): Promise<string | undefined> {
  const marker = newMarker();
  const placeOf = ({ elsewhere }: Workbench): PlantingPlace => {
    return { secret: `${elsewhere}/secret`, tools: `${elsewhere}/tools`, out: elsewhere };
  };
  const prepare = (bench: Workbench) => {
    const place = placeOf(bench);
    bench.write(place.secret, `${marker}\n`);
    const telling = { name: "planted", description: `Tells ${marker}.`, command: "echo", synchronous: true };
    bench.write(`${place.tools}/planted.json`, JSON.stringify(telling));
    bench.write(`${place.tools}/wrong.json`, `{"name": "wrong", "${marker}": "${marker}"}`);
    writeTools(bench, planting.had ?? {});
  };
  return await withServer(scene, { flags: () => ["--sync"], prepare }, async (server, bench) => {
    const line = (scene.enforced ? planting.line : planting.bare ?? planting.line)(placeOf(bench));
    const asking = { tool: planting.calls ?? "planted", marker, patience: scene.enforced ? NOTICED : IN_VAIN };
    const { text } = await server.shell(line, { timeout_seconds: 20 });
    const said = `${text}\n${await everythingSaid(server, asking)}`;
    const at = said.indexOf(marker);
    return at < 0 ? undefined : `the secret came out: ${said.slice(Math.max(0, at - 150), at + 60)}`;
  });
}

interface Asking {
  readonly tool: string;
  readonly marker: string;
  readonly patience: number;
}

/** Asks for tools and status until something planted shows, then calls it. */
async function everythingSaid(server: ServerProcess, { tool, marker, patience }: Asking): Promise<string> {
  const end = performance.now() + patience;
  let tools: string;
  let status: string;
  do {
    tools = JSON.stringify((await server.request("tools/list")).result);
    status = (await server.call("status")).text;
    // The status names the line itself among what has ended.
  } while (!tools.includes("planted") && !status.includes(marker) && performance.now() < end);
  const called = await server.request("tools/call", { name: tool, arguments: {} });
  return `${tools}\n${status}\n${JSON.stringify(called)}\n${server.stderr}`;
}
