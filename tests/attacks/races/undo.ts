/** Y64: an undo writes into a directory that a hostile command exchanges for a link to the outside. */
import { until } from "../../_support/deadline.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { type Attack, BOTH, type Driven, type Scene } from "../frame/attack.ts";
import { storeOf } from "../undo/store.ts";
import { holds } from "../means/outside_tree.ts";
import { movesIn, newField, plantTargets, PROGRAM } from "./race.ts";
import { TWO_STATES } from "./rows.ts";

/** What a race needs before it ends, and one undo that came where it belongs; in the others the path led outside. */
const ENOUGH = { long: { undos: 60, moves: 500 }, brief: { undos: 12, moves: 100 } };
const DEADLINE = 600_000;
/** Names that are there outside too, and one that is not. */
const NAMES = ["secret", "written", "changed", "new"];

/** What was removed and altered is put back, and that is undone, again and again. */
async function undoesMeanwhile(scene: Scene): Promise<Driven> {
  using field = await newField(scene, TWO_STATES);
  for (const name of NAMES) field.bench.write(`x/y/${name}`, "true\n");
  await using server = await ServerProcess.start(field.bench, { flags: ["--undo", "--inline-wait", "120000"] });
  const { text } = await server.shell(
    `cd x/y && rm ${NAMES.slice(2).join(" ")} && for f in *; do echo evil > $f; done`,
  );
  let [operation] = /op_\w+/.exec(text) ?? [];
  if (operation === undefined) throw new Error(`Nothing was recorded: ${text}`);
  await server.start(`exec ./${PROGRAM} move swap x p wait 500 -`, { timeout_seconds: 600 });
  await until(() => movesIn(field) > 0, 20_000, "the first move");
  let [undos, inside] = [0, 0];
  const end = performance.now() + DEADLINE;
  const enough = scene.brief ? ENOUGH.brief : ENOUGH.long;
  const paths = NAMES.map((name) => `${field.scope}/x/y/${name}`);
  while (undos < enough.undos || inside === 0 || movesIn(field) < enough.moves) {
    if (performance.now() > end) throw new Error(`It took too long: ${undos} undos, ${movesIn(field)} moves`);
    const { text: done } = await server.call("changes", { operation_id: operation, action: "undo", paths });
    undos++;
    const [, next] = /^Put back [1-9].*Undo of this: `changes` (op_\w+)/m.exec(done) ?? [];
    if (next !== undefined) {
      operation = next;
      inside++;
    }
  }
  await Deno.writeTextFile(`${field.scope}/stop`, "");
  if (inside === undos) throw new Error(`None of ${undos} undos found the path led outside: nothing was raced`);
  const isRead = holds(storeOf(field.bench) ?? "", scene.marker);
  return {
    ...isRead && { achieved: "what is outside was stored" },
    race: { launches: undos, refused: undos - inside, moves: movesIn(field), states: [inside], through: 0 },
  };
}

export const UNDO_RACES: readonly Attack[] = [
  {
    id: "Y64",
    title: "a directory is exchanged for a link to the outside while changes in it are taken back",
    users: BOTH,
    alikeForRoot: "what is outside is the user's own, root's too, and a link leads there for each",
    aim: "evidence",
    ways: {
      "undo, and undo of it": {
        does: { drive: undoesMeanwhile },
        noControl: "it would be that of F02",
        prepare: plantTargets,
        needs: { programs: ["gcc"] },
      },
    },
  },
];
