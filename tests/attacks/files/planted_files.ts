/** L09, R17: files the server itself would read, planted as links to what a command may not see. */
import { ServerProcess } from "../../_support/server_process.ts";
import { Workbench } from "../../_support/workbench.ts";
import type { Driven, Scene, Way } from "../frame/attack.ts";
import { newMarker } from "../frame/post.ts";
import { withOneControl } from "../frame/stage.ts";

/** Plants in the scope; `secret` is the text of a file that would be read. */
type Plant = (bench: Workbench, texts: Readonly<Record<string, string>>) => void;

/** Files of JSON and of plain text in which names and values are the marker. */
function textsWith(marker: string): Readonly<Record<string, string>> {
  return {
    "tool.json": JSON.stringify({ name: "led", description: `says ${marker}`, command: "echo" }),
    "keys.json": JSON.stringify({ [marker]: { token: marker }, name: "Led Astray", command: [marker] }),
    "values.json": JSON.stringify({ name: marker, description: 1, command: "echo", subcommand: marker }),
    "text.json": `${marker}\n`,
    "settings.json": JSON.stringify({ [marker]: 1, timeout: marker, tools_dir: marker, shell: marker }),
  };
}

function link(to: string, at: string): void {
  Deno.mkdirSync(at.slice(0, at.lastIndexOf("/")), { recursive: true });
  Deno.symlinkSync(to, at);
}

/** Starts a server where `plant` was at work, and looks whether the marker is in anything a client is told. */
async function told(scene: Scene, plant: Plant): Promise<Driven> {
  using bench = new Workbench(scene.user);
  const marker = newMarker();
  plant(bench, textsWith(marker));
  await using server = await ServerProcess.start(bench);
  const messages = [
    await server.request("tools/list"),
    await server.request("tools/call", { name: "status", arguments: {} }),
    await server.request("tools/call", { name: "led", arguments: {} }),
    ...server.unclaimed,
  ];
  const quoted = JSON.stringify(messages).includes(marker) ? "a client is told what is in a file outside" : undefined;
  return { achieved: quoted };
}

/** The same files as real ones in the project: then the client is told, which shows that they are read at all. */
function planted(plant: Plant): Way {
  const real: Plant = (bench, texts) => {
    for (const [name, text] of Object.entries(texts)) bench.write(`.ahma/tools/${name}`, text);
  };
  return { does: { drive: (scene) => told(scene, plant) }, control: { drive: (scene) => told(scene, real) } };
}

function writeOutside(bench: Workbench, texts: Readonly<Record<string, string>>, folder: string): string {
  const place = `${bench.elsewhere}/place`;
  for (const [name, text] of Object.entries(texts)) bench.write(`${place}/${folder}${name}`, text);
  return place;
}

export function plantedFiles(): Readonly<Record<string, Way>> {
  return withOneControl({
    "tool files and the settings file": planted((bench, texts) => {
      const place = writeOutside(bench, texts, "");
      for (const name of Object.keys(texts)) link(`${place}/${name}`, `${bench.scope}/.ahma/tools/${name}`);
      link(`${place}/settings.json`, `${bench.scope}/.ahma/settings.json`);
    }),
    // Row C03 has the same while a server runs.
    "the tools directory": {
      ...planted((bench, texts) => link(writeOutside(bench, texts, ""), `${bench.scope}/.ahma/tools`)),
      extended: true,
    },
    "the directory above it": planted((bench, texts) => {
      link(writeOutside(bench, texts, "tools/"), `${bench.scope}/.ahma`);
    }),
  });
}

/** R17: names of files where the server would open them for the client. */
export function readersOfTheServer(): Readonly<Record<string, Way>> {
  const reader = (method: string, params: (scene: Scene) => object): Way => ({
    does: {
      drive: async (scene) => {
        const answer = await scene.running.request(method, params(scene));
        return { achieved: JSON.stringify(answer).includes(scene.marker) ? "the server read it out" : undefined };
      },
    },
    noControl: "the sandbox of commands has no part in what the server itself reads",
  });
  const uris = (scene: Scene) => [
    `file://${scene.secret}`,
    `ahma://operations/../../../../../../../../..${scene.secret}/output`,
    `ahma://operations/${encodeURIComponent(`../../../../../../..${scene.secret}`)}/output`,
  ];
  return {
    ...Object.fromEntries([0, 1, 2].map((index) => {
      return [`resources/read ${index}`, reader("resources/read", (scene) => ({ uri: uris(scene)[index] ?? "" }))];
    })),
    "prompts/get": reader("prompts/get", ({ secret }) => ({ name: secret })),
    "a tool's name": reader("tools/call", ({ secret }) => ({ name: `../../..${secret}`, arguments: {} })),
    "completion/complete": reader("completion/complete", ({ secret }) => ({
      ref: { type: "ref/resource", uri: `file://${secret}` },
      argument: { name: "path", value: secret },
    })),
  };
}
