/** C13: tool files that are to stop the server, by their number, their changes or what is in them. */
import { until } from "../../_support/deadline.ts";
import type { Scene, Way } from "../frame/attack.ts";
import { driven, together } from "../frame/stage.ts";
import { EMPTY_PROJECT } from "./planted.ts";

/** An answer that takes longer is none: a busy machine stays below. */
const LONGEST_ANSWER_MS = 60_000;
/** The control stops the server for longer than it lets an answer take. */
const STANDSTILL = { seconds: 2, longestAnswerMs: 1_000 } as const;
/** A flood that goes on for longer fails. */
const LONGEST_FLOOD_MS = 240_000;
/** After the command the server reads what it left, milliseconds: it begins within half of that. */
const AFTERMATH_MS = 1_000;

/** Asks for the status again and again while the command runs and a while after it. */
async function standsStill(
  scene: Scene,
  line: string,
  longestAnswerMs: number = LONGEST_ANSWER_MS,
): Promise<string | undefined> {
  const { running, directory, scope } = scene;
  const tools = async () => JSON.stringify((await running.request("tools/list")).result);
  const before = await tools(); // from here on files are watched
  const args = { command: line, working_directory: directory, execution_mode: "AsyncResultPush" };
  let longest = 0;
  const timed = async (tool: string, words: object) => {
    const asked = performance.now();
    const answer = await running.call(tool, words, { deadline: 120_000 });
    longest = Math.max(longest, performance.now() - asked);
    return answer;
  };
  const { operation } = await timed("sandboxed_shell", args);
  const runs = new RegExp(`${operation?.operation_id} .*running`);
  let ended: number | undefined;
  const isOver = async () => {
    const { text } = await timed("status", {});
    if (!runs.test(text)) ended ??= performance.now();
    return ended !== undefined && performance.now() - ended > AFTERMATH_MS;
  };
  await until(isOver, LONGEST_FLOOD_MS, "the end of the command and of its aftermath");
  await Deno.remove(`${scope}/.ahma`, { recursive: true }).catch(ignoreMissing);
  await until(async () => (await tools()) === before, 60_000, "the tools to go");
  return longest > longestAnswerMs ? `an answer took ${Math.round(longest / 1000)} s` : undefined;
}

/** The control makes none. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Of each: what took the server minutes, or all memory there is, before it was limited (to 1,000 files and 4 MiB). */
const LINES: Readonly<Record<string, (scene: Scene) => string>> = {
  "10,000 files": ({ brief }) =>
    `mkdir ../new; for i in $(seq ${
      brief ? 1_050 : 10_000
    }); do echo '{"name":"t'$i'","description":"d","command":"c'$i'"}' > ../new/$i.json; done; mv ../new/* .`,
  "large files": ({ brief }) => `truncate -s 1M $(seq -f %g.json ${brief ? 30 : 300})`,
  "a thousand changes a second": ({ brief }) =>
    `mkfifo ../pace; exec 9<> ../pace
for i in {1..${brief ? 100 : 300}}; do
  for j in {1..10}; do echo '{"name":"t","command":"'$i$j'"}' > a.json; done; read -t 0.009 -u 9
done`,
  "a file of mistakes": () =>
    `/usr/bin/python3 -ISc 'print("{" + ",".join(f"\\"k{i}\\":1" for i in range(60000)) + "}")' > a.json`,
  "a file of subcommands": () =>
    `/usr/bin/python3 -ISc 'import json
print(json.dumps({"name": "a", "command": "echo", "subcommand": [{"name": f"s{i}"} for i in range(30000)]}))' > a.json`,
};

/** The floods on one server, in turn; the control shows that a standstill is seen. */
export const FLOODS: Readonly<Record<string, Way>> = {
  "one after the other": {
    does: driven((scene) =>
      together(scene, LINES, (line) => {
        return standsStill(scene, `mkdir -p ../.ahma/tools && cd ../.ahma/tools || exit 1; ${line(scene)}`);
      })
    ),
    control: driven((scene) =>
      standsStill(
        scene,
        `kill -STOP ${scene.server}; sleep ${STANDSTILL.seconds}; kill -CONT ${scene.server}`,
        STANDSTILL.longestAnswerMs,
      )
    ),
    sharedServer: EMPTY_PROJECT,
  },
};
