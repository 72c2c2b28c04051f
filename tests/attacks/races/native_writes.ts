/** T23: native tools write into a directory that a hostile command exchanges for a link to the outside. */
import { until } from "../../_support/deadline.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { type Attack, BOTH, type Driven, type Scene } from "../frame/attack.ts";
import { movesIn, newField, plantTargets, PROGRAM } from "./race.ts";
import { TWO_STATES } from "./rows.ts";

const ENOUGH = { long: { writes: 150, moves: 1000 }, brief: { writes: 75, moves: 500 } };
/** Writes that came where they belong: the others were refused, since the path led outside. */
const FEWEST_INSIDE = 5;
/** Calls under way at the same time. */
const ABREAST = 4;
const DEADLINE = 600_000;

/** Writes until there were enough of them and of the moves; what came of it outside is seen by the catalogue. */
async function writesMeanwhile(scene: Scene): Promise<Driven> {
  using field = await newField(scene, TWO_STATES);
  const flags = ["--bundles", "files,files_patch"];
  await using server = await ServerProcess.start(field.bench, { flags });
  // The worker begins with its first call.
  await server.call("files_write", { path: "x/y/written", content: "" });
  const command = `exec ./${PROGRAM} move ${TWO_STATES.moves}`;
  await server.call("sandboxed_shell", { command, execution_mode: "AsyncResultPush", timeout_seconds: 600 });
  await until(() => movesIn(field) > 0, 20_000, "the first move");
  let [calls, refused] = [0, 0];
  const end = performance.now() + DEADLINE;
  const enough = scene.brief ? ENOUGH.brief : ENOUGH.long;
  const work = async () => {
    while (calls < enough.writes || calls - refused < FEWEST_INSIDE || movesIn(field) < enough.moves) {
      if (performance.now() > end) throw new Error(`It took too long: ${calls} calls, ${movesIn(field)} moves`);
      const [tool, args] = attempt(calls++);
      if ((await server.call(tool, args)).failed) refused++;
    }
  };
  await Promise.all(Array.from({ length: ABREAST }, work));
  await Deno.writeTextFile(`${field.scope}/stop`, "");
  if (refused === 0) throw new Error(`None of ${calls} calls was refused: nothing was raced`);
  return { race: { launches: calls, refused, moves: movesIn(field), states: [calls - refused], through: 0 } };
}

/** Each tool in turn: a file that is there outside too, one that is made, and one with its directory. */
function attempt(number: number): readonly [tool: string, args: Readonly<Record<string, unknown>>] {
  switch (number % 4) {
    case 0:
      return ["files_write", { path: "x/y/written", content: `evil ${number}` }];
    case 1:
      return ["files_write", { path: `x/y/deep-${number}/new`, content: "evil" }];
    case 2:
      return ["files_edit", { path: `x/y/new-${number}`, old_string: "", new_string: "evil" }];
    default: {
      const patch =
        `*** Begin Patch\n*** Add File: x/y/patched-${number}\n+evil\n*** Delete File: x/y/secret\n*** End Patch`;
      return ["files_patch", { patch: number % 8 === 3 ? patch : patch.replace(/\*\*\* Delete.*\n/, "") }];
    }
  }
}

export const NATIVE_RACES: readonly Attack[] = [
  {
    id: "T23",
    title: "a directory is exchanged for a link to the outside while native tools write into it",
    users: BOTH,
    alikeForRoot: "what is outside is the user's own, root's too, and a link leads there for each",
    aim: "evidence",
    ways: {
      "write, edit and patch": {
        does: { drive: writesMeanwhile },
        noControl: "it would be that of F02",
        prepare: plantTargets,
        needs: { programs: ["gcc"] },
      },
    },
  },
];
