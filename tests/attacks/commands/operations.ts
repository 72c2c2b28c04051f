/** Q: sequences and operations. */
import { until } from "../../_support/deadline.ts";
import { BOTH, type Row, type Scene, type ServerSetting, type Way } from "../frame/attack.ts";
import { MANY, MANY_STEPS } from "../means/many_calls.ts";
import { driven, newSeed, together, writeTools } from "../frame/stage.ts";
import type { ServerProcess } from "../../_support/server_process.ts";

/** A tool of steps, all but its name. */
type Sequence = (name: string) => object;

/** A sequence of one step, and what the step may not do. */
function step(more: object): Sequence {
  return (name) => ({
    name,
    description: "Steps.",
    command: "sequence",
    synchronous: true,
    sequence: [more],
    step_delay_ms: 0,
  });
}

function shellStep(more: object = {}): Sequence {
  return step({ tool: "sandboxed_shell", args: { command: "echo ran $((6 * 7))", ...more } });
}

const PLAIN = { "a plain one": shellStep() };

const WITHOUT_END: Readonly<Record<string, Sequence>> = {
  "of itself": (name) => ({
    ...shellStep()(name),
    sequence: [{ tool: "sandboxed_shell", args: { command: "echo ran $((6 * 7))" } }, { tool: name }],
  }),
  "a delay of weeks": (name) => ({ ...shellStep()(name), step_delay_ms: 2 ** 31 }),
  "a negative delay": (name) => ({ ...shellStep()(name), step_delay_ms: -1 }),
};

const FORBIDDEN: Readonly<Record<string, Sequence>> = {
  "a directory outside": shellStep({ working_directory: "/" }),
  "a directory above": shellStep({ working_directory: "../../.." }),
  "an unknown tool": step({ tool: "none" }),
  "an unknown argument": shellStep({ unsandboxed: true }),
  "a forbidden limit": shellStep({ timeout_seconds: -1 }),
  "another built-in tool": step({ tool: "cancel", args: { operation_id: "x" } }),
};

/** All tools of these rows, by what they are about; their names are `seq` and a number. */
const SEQUENCES = Object.entries({ ...PLAIN, ...WITHOUT_END, ...FORBIDDEN });

/** A server with all of them, which answers at once: the client waits for no steps of those that are not synchronous. */
const WITH_SEQUENCES: ServerSetting = {
  flags: (bench) => {
    writeTools(bench, Object.fromEntries(SEQUENCES.map(([, tool], at) => [`seq${at}`, tool(`seq${at}`)])));
    writeTools(bench, { ...REDEFINED, many: MANY });
    return ["--inline-wait", "0"];
  },
};

/** Calls the sequences; none of them may get as far as its step. */
function sequencesRun(tools: Readonly<Record<string, Sequence>>): Way {
  return {
    does: driven((scene) => runSequences(scene, tools)),
    control: driven((scene) => runSequences(scene, PLAIN)),
    sharedServer: WITH_SEQUENCES,
  };
}

async function runSequences(scene: Scene, tools: Readonly<Record<string, Sequence>>): Promise<string | undefined> {
  return await together(scene, tools, async (tool) => {
    const name = `seq${SEQUENCES.findIndex(([, one]) => one === tool)}`;
    const answer = await scene.running.request("tools/call", { name, arguments: {} });
    return JSON.stringify(answer).includes("ran 42") ? "the step ran" : undefined;
  });
}

async function startSleep(server: ServerProcess, directory: string): Promise<string> {
  const args = { command: "sleep 60", working_directory: directory, execution_mode: "AsyncResultPush" };
  return (await server.call("sandboxed_shell", args)).operation?.operation_id ?? "";
}

/** From an operation's id. */
type Guess = (id: string) => string;

/** Cancels by ids that are not the operation's; whether the operation is ended by one. */
async function cancelsBy(scene: Scene, guesses: Readonly<Record<string, Guess>>): Promise<string | undefined> {
  const { running, directory } = scene;
  const operation_id = await startSleep(running, directory);
  const achieved = await together(scene, guesses, async (guess) => {
    const answer = await running.request("tools/call", {
      name: "cancel",
      arguments: { operation_id: guess(operation_id) },
    });
    const { text } = await running.call("status", { operation_id });
    return /cancelled/.test(text) ? `it was ended: ${JSON.stringify(answer)}` : undefined;
  });
  await running.call("cancel", { operation_id });
  return achieved;
}

function guessed(guesses: Readonly<Record<string, Guess>>): Way {
  return {
    does: driven((scene) => cancelsBy(scene, guesses)),
    control: driven((scene) => cancelsBy(scene, { "the id": (id) => id })),
  };
}

/** Ids that follow one another must not be guessable from each other. */
async function nextIds(scene: Scene, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    ids.push((await scene.running.start("true")).operation?.operation_id ?? "");
  }
  return ids;
}

/** How many of the ids share all but their time with another, or are equal. */
function alike(ids: readonly string[]): string | undefined {
  const ends = ids.map((id) => id.slice(-8));
  const equal = ends.filter((end, index) => ends.indexOf(end) !== index);
  return equal.length === 0 && ids.every((id) => id.length > 10) ? undefined : `ids are alike: ${ids.join(", ")}`;
}

/** Progress of one request must not come under the token of another, nor after its answer. */
async function strayProgress(scene: Scene, line: string): Promise<string | undefined> {
  const { running, directory } = scene;
  const token = `token-${newSeed()}`;
  const seen: string[] = [];
  let answered = false;
  running.listen((message) => {
    if (message.method !== "notifications/progress") return;
    if (message.params?.["progressToken"] === token && answered) seen.push(JSON.stringify(message.params));
  });
  const args = { command: line, working_directory: directory, execution_mode: "Synchronous" };
  await running.call("sandboxed_shell", args, { progressToken: token });
  answered = true;
  await running.shell("echo other", { working_directory: directory });
  return seen.length === 0 ? undefined : `progress came after the answer: ${seen.join(", ")}`;
}

/** The same token for two requests: neither may be lost for it. The control counts what comes in time. */
async function countsProgress(scene: Scene): Promise<string | undefined> {
  const token = `token-${newSeed()}`;
  let count = 0;
  scene.running.listen((message) => {
    if (message.params?.["progressToken"] !== token) return;
    count++;
    Deno.writeTextFileSync(`${scene.directory}/heard`, "");
  });
  // The command goes on until its progress is there, however late that is.
  const line = "for i in $(seq 100); do echo $i; [ -e heard ] && exit; sleep 0.1; done";
  const args = { command: line, working_directory: scene.directory, execution_mode: "Synchronous" };
  await scene.running.call("sandboxed_shell", args, { progressToken: token });
  return count === 0 ? undefined : `${count} notifications`;
}

function word(said: string): object {
  return { name: "word", description: "Says a word.", command: `echo ${said}`, synchronous: true };
}

const CHANGE = `printf '%s' '${JSON.stringify(word("new"))}' > .ahma/tools/word.json; sleep 1`;
const REDEFINED = {
  word: word("old"),
  redefined: {
    name: "redefined",
    description: "Steps.",
    command: "sequence",
    synchronous: true,
    sequence: [{ tool: "sandboxed_shell", args: { command: CHANGE } }, { tool: "word" }],
  },
};

/** A tool changed between two steps: the first of them changes it. */
async function redefined({ running, enforced }: Scene): Promise<string | undefined> {
  const first = (await running.call("redefined")).text;
  if (/^new$/m.test(first)) return "the step ran the new definition";
  if (enforced) return undefined;
  // A busy machine reads the changed file later than the sequence ends.
  await until(async () => /^new$/m.test((await running.call("word")).text), 20_000, "the new definition");
  return "the new definition runs afterwards";
}

const HTTP = "proven by the tests of the HTTP bridge (tests/http/*_test.ts)";

export const OPERATIONS: readonly Row[] = [
  {
    id: "Q01",
    title: "sequences without end",
    users: BOTH,
    aim: "evidence",
    ways: {
      "1,000 steps, and a cancel": { ...MANY_STEPS, sharedServer: WITH_SEQUENCES },
      "of itself, and delays that are none": sequencesRun(WITHOUT_END),
    },
  },
  {
    id: "Q02",
    title: "steps that ask for what a call may not",
    users: BOTH,
    aim: "evidence",
    ways: {
      "directories, tools, arguments and limits": sequencesRun(FORBIDDEN),
    },
  },
  { id: "Q03", title: "cancel between steps", notApplicable: "proven by tests/sequence_test.ts (T14)" },
  {
    id: "Q04",
    title: "a tool that changes between the steps of a sequence",
    users: BOTH,
    aim: "evidence",
    ways: { "by its first step": { does: driven(redefined), sharedServer: WITH_SEQUENCES } },
  },
  {
    id: "Q05",
    title: "an operation's id guessed",
    users: BOTH,
    aim: "evidence",
    ways: {
      "words, patterns and parts of it": guessed({
        "empty": () => "",
        "a star": () => "*",
        "a pattern": () => "op_.*",
        "its beginning": (id) => id.slice(0, -1),
        "in small letters": (id) => id.toLowerCase(),
        "with blanks": (id) => ` ${id} `,
        "the prototype": () => "__proto__",
        "constructor": () => "constructor",
        "the next": (id) => `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`,
      }),
    },
  },
  {
    id: "Q06",
    title: "ids that repeat or follow from one another",
    users: BOTH,
    aim: "evidence",
    ways: {
      "30 in a row": {
        does: driven(async (scene) => alike(await nextIds(scene, 30))),
        control: driven(async (scene) => {
          const [id = ""] = await nextIds(scene, 1);
          return alike([id, id]);
        }),
      },
    },
  },
  {
    id: "Q07",
    title: "progress under a token after its request",
    users: BOTH,
    aim: "evidence",
    ways: {
      "a background child goes on writing": {
        does: driven((scene) => strayProgress(scene, "(while :; do echo late; sleep 0.05; done) & echo done")),
        control: driven(countsProgress),
      },
    },
  },
  {
    id: "Q08",
    title: "commands before the roots are known",
    notApplicable: `stdio has its scope from the start; ${HTTP}`,
  },
  { id: "Q09", title: "roots that change later", notApplicable: HTTP },
  { id: "Q10", title: "roots that are none", notApplicable: HTTP },
];
