/** Q: sequences and operations. */
import { until } from "../../_support/deadline.ts";
import { BOTH, type Row, type Scene, type Way } from "../frame/attack.ts";
import { MANY_STEPS } from "../means/many_calls.ts";
import { driven, newSeed, together, withServer, writeTools } from "../frame/stage.ts";
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

/** Calls the sequences; none of them may get as far as its step. */
function sequencesRun(tools: Readonly<Record<string, Sequence>>): Way {
  return {
    does: driven((scene) => runSequences(scene, tools)),
    control: driven((scene) => runSequences(scene, { "a plain one": shellStep() })),
  };
}

async function runSequences(scene: Scene, tools: Readonly<Record<string, Sequence>>): Promise<string | undefined> {
  const named = Object.fromEntries(Object.keys(tools).map((about, at) => [about, `seq${at}`]));
  const prepare = (bench: Parameters<typeof writeTools>[0]) => {
    for (const [about, tool] of Object.entries(tools)) {
      const name = named[about] ?? "";
      writeTools(bench, { [name]: tool(name) });
    }
  };
  return await withServer(
    scene,
    { flags: () => ["--sync"], prepare },
    (server) =>
      together(scene, named, async (name) => {
        const answer = await server.request("tools/call", { name, arguments: {} });
        return JSON.stringify(answer).includes("ran 42") ? "the step ran" : undefined;
      }),
  );
}

async function startSleep(server: ServerProcess, directory: string): Promise<string> {
  const args = { command: "sleep 60", working_directory: directory, execution_mode: "AsyncResultPush" };
  return (await server.call("sandboxed_shell", args)).operation?.operation_id ?? "";
}

/** Cancels by an id that is not the operation's; whether the operation is ended by it. */
async function cancelsBy(scene: Scene, guess: (id: string) => string): Promise<string | undefined> {
  const { running, directory } = scene;
  const operation_id = await startSleep(running, directory);
  const answer = await running.request("tools/call", {
    name: "cancel",
    arguments: { operation_id: guess(operation_id) },
  });
  const { text } = await running.call("status", { operation_id });
  await running.call("cancel", { operation_id });
  return /cancelled/.test(text) ? `it was ended: ${JSON.stringify(answer)}` : undefined;
}

function guess(from: (id: string) => string): Way {
  return {
    does: driven((scene) => cancelsBy(scene, from)),
    control: driven((scene) => cancelsBy(scene, (id) => id)),
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

/** A tool changed between two steps: the first of them changes it. */
async function redefined(scene: Scene): Promise<string | undefined> {
  const tool = (word: string) => ({
    name: "word",
    description: "Says a word.",
    command: `echo ${word}`,
    synchronous: true,
  });
  const change = `printf '%s' '${JSON.stringify(tool("new"))}' > .ahma/tools/word.json; sleep 1`;
  const files = {
    word: tool("old"),
    seq: {
      name: "seq",
      description: "Steps.",
      command: "sequence",
      synchronous: true,
      sequence: [{ tool: "sandboxed_shell", args: { command: change } }, { tool: "word" }],
    },
  };
  return await withServer(
    scene,
    { flags: () => ["--sync"], prepare: (bench) => writeTools(bench, files) },
    async (server) => {
      await server.request("tools/list");
      const first = (await server.call("seq")).text;
      if (/^new$/m.test(first)) return "the step ran the new definition";
      if (scene.enforced) return undefined;
      // A busy machine reads the changed file later than the sequence ends.
      await until(async () => /^new$/m.test((await server.call("word")).text), 20_000, "the new definition");
      return "the new definition runs afterwards";
    },
  );
}

const HTTP = "proven by the tests of the HTTP bridge (tests/http_*_test.ts)";

export const OPERATIONS: readonly Row[] = [
  {
    id: "Q01",
    title: "sequences without end",
    users: BOTH,
    aim: "evidence",
    ways: {
      "1,000 steps, and a cancel": MANY_STEPS,
      "of itself, and delays that are none": sequencesRun({
        "of itself": (name) => ({
          ...shellStep()(name),
          sequence: [{ tool: "sandboxed_shell", args: { command: "echo ran $((6 * 7))" } }, { tool: name }],
        }),
        "a delay of weeks": (name) => ({ ...shellStep()(name), step_delay_ms: 2 ** 31 }),
        "a negative delay": (name) => ({ ...shellStep()(name), step_delay_ms: -1 }),
      }),
    },
  },
  {
    id: "Q02",
    title: "steps that ask for what a call may not",
    users: BOTH,
    aim: "evidence",
    ways: {
      "directories, tools, arguments and limits": sequencesRun({
        "a directory outside": shellStep({ working_directory: "/" }),
        "a directory above": shellStep({ working_directory: "../../.." }),
        "an unknown tool": step({ tool: "none" }),
        "an unknown argument": shellStep({ unsandboxed: true }),
        "a forbidden limit": shellStep({ timeout_seconds: -1 }),
        "another built-in tool": step({ tool: "cancel", args: { operation_id: "x" } }),
      }),
    },
  },
  { id: "Q03", title: "cancel between steps", notApplicable: "proven by tests/sequence_test.ts (T14)" },
  {
    id: "Q04",
    title: "a tool that changes between the steps of a sequence",
    users: BOTH,
    aim: "evidence",
    ways: { "by its first step": { does: driven(redefined) } },
  },
  {
    id: "Q05",
    title: "an operation's id guessed",
    users: BOTH,
    aim: "evidence",
    ways: {
      "empty": guess(() => ""),
      "a star": guess(() => "*"),
      "a pattern": guess(() => "op_.*"),
      "its beginning": guess((id) => id.slice(0, -1)),
      "in small letters": guess((id) => id.toLowerCase()),
      "with blanks": guess((id) => ` ${id} `),
      "the prototype": guess(() => "__proto__"),
      "constructor": guess(() => "constructor"),
      "the next": guess((id) => `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`),
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
