/** V10 to V12: a stdio server behind the program that means harm to the client, or to the program itself. */
import { until } from "../../_support/deadline.ts";
import { lowestResident } from "../../_support/processes.ts";
import { toolAnswer } from "../../_support/json_rpc.ts";
import { BOTH, type Row, type Scene, type Way } from "../frame/attack.ts";
import { driven, together, withServer } from "../frame/stage.ts";
import { BEHIND, behindUs, type HostileKind, spokenToDirectly } from "./hostile_server.ts";

type Judge = (lines: readonly string[]) => string | undefined;

/** Calls tools of the liar; each judge looks at all messages that the client got, in the control a naive one. */
function lies(tools: Readonly<Record<string, Judge>>): Way {
  const attempts = Object.fromEntries(Object.entries(tools).map(([tool, judge]) => [tool, { tool, judge }]));
  return {
    does: driven((scene) => together(scene, attempts, ({ tool, judge }) => clientSees(scene, tool, judge))),
    control: driven((scene) =>
      together(scene, attempts, async ({ tool, judge }) => judge(await spokenToDirectly("liar", tool)))
    ),
    sharedServer: BEHIND,
  };
}

async function clientSees({ running }: Scene, tool: string, judge: Judge): Promise<string | undefined> {
  const lines: string[] = [];
  running.listen((message) => lines.push(JSON.stringify(message)));
  await running.call(`liar_${tool}`, {}, { progressToken: `p-${tool}` });
  const other = await running.call("other_quiet");
  if (other.text !== "quiet") return `the other server was answered for: ${other.text}`;
  await running.request("tools/list");
  return judge(lines);
}

/** Questions that a server may have open. */
const MOST_QUESTIONS = 8;

/** A client that takes questions, and whose user answers none. */
async function askedUser(scene: Scene, judge: Judge): Promise<string | undefined> {
  return await withServer(scene, { flags: behindUs({ evil: "liar" }), era: "none" }, async (server) => {
    const lines: string[] = [];
    server.listen((message) => lines.push(JSON.stringify(message)));
    const clientInfo = { name: "asked", version: "1" };
    await server.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {} },
      clientInfo,
    });
    await server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    await server.request("tools/call", { name: "evil_question", arguments: {} });
    if (!lines.some((line) => line.includes("elicitation/create"))) throw new Error("No question has come");
    return judge(lines);
  });
}

/** A line has it. */
function holding(pattern: RegExp): Judge {
  return (lines) => lines.find((line) => pattern.test(line))?.slice(0, 300);
}

/** More lines have it than the client can want. */
function moreThan(most: number, pattern: RegExp): Judge {
  return (lines) => {
    const { length } = lines.filter((line) => pattern.test(line));
    return length > most ? `${length} messages` : undefined;
  };
}

/** What names and texts of four servers came to in a client of the program, or in one of each server. */
const DECEITS: Readonly<Record<string, { readonly kind: HostileKind; readonly tool: string; readonly judge: Judge }>> =
  {
    "hidden characters in names, descriptions and schemas": {
      kind: "hidden",
      tool: "x",
      judge: holding(/\\u200b|\\u202e|\\u001b|\\u0007|\\udb40|\u200b|\u202e|\u{e0041}/u),
    },
    "the name of a tool of ours": { kind: "sandboxed", tool: "shell", judge: holding(/evil 42/) },
    "the name of another server's tool": { kind: "good", tool: "evil_tool", judge: holding(/evil 42/) },
  };

async function deceived(scene: Scene): Promise<string | undefined> {
  const flags = behindUs({ hidden: "hidden", sandboxed: "sandboxed", good: "good", good_evil: "good_evil" });
  return await withServer(scene, { flags }, async (server) => {
    const lines: string[] = [];
    server.listen((message) => lines.push(JSON.stringify(message)));
    const areListed = async () => /hidden_see.*_evil_tool"/.test(JSON.stringify(await server.request("tools/list")));
    await until(areListed, 5_000, "the tools of the servers");
    for (const name of ["sandboxed_shell", "good_evil_tool"]) {
      await server.request("tools/call", { name, arguments: { command: "true" } });
    }
    // The server whose name the other one takes has names of its own.
    const { text } = await server.call("good-evil_tool");
    if (text !== "own 42") throw new Error(`The server "good_evil" answers ${text}`);
    return await together(scene, DECEITS, ({ judge }) => Promise.resolve(judge(lines)));
  });
}

/** What a program of ours decides, for every user alike. */
export const LYING_SERVERS: readonly Row[] = [
  {
    id: "V10",
    title: "a server speaks to the client for others",
    users: BOTH,
    alikeForRoot: "the program decides what it hands on",
    aim: "evidence",
    ways: {
      "answers to other calls, requests without end, a storm, facts of our operations, a hidden refusal": lies({
        forge: holding(/forged 42/),
        ask: holding(/asked 42/),
        storm: moreThan(20, /storm 42|list_changed/),
        claim: holding(/ahma\/operation"|"task":|related-task|"requestState"/),
        refuse: holding(/no(\\u200b|\u200b)|y{9000}/),
      }),
      "questions to the user without end": {
        does: driven((scene) => askedUser(scene, moreThan(MOST_QUESTIONS, /"elicitation\/create"/))),
        control: driven(async () =>
          moreThan(MOST_QUESTIONS, /"elicitation\/create"/)(await spokenToDirectly("liar", "question"))
        ),
        sharedServer: BEHIND,
      },
    },
  },
  {
    id: "V11",
    title: "a server takes names and hides text",
    users: BOTH,
    alikeForRoot: "the program decides what it hands on",
    aim: "evidence",
    ways: {
      [Object.keys(DECEITS).join(", ")]: {
        does: driven(deceived),
        control: driven((scene) =>
          together(scene, DECEITS, async ({ kind, tool, judge }) => judge(await spokenToDirectly(kind, tool)))
        ),
        sharedServer: BEHIND,
      },
    },
  },
  {
    id: "V12",
    title: "a server uses up the program",
    users: BOTH,
    alikeForRoot: "the program bounds what it reads",
    aim: "evidence",
    ways: {
      "messages of any shape, progress and lines without end": {
        does: driven((scene) => together(scene, FLOODS, (flood) => usesUp(scene, flood))),
        sharedServer: BEHIND,
        noControl: "a client that keeps all of it would show what it holds, and nothing of the program",
      },
    },
  },
];

/** Megabytes that the program may hold after it; a list of tools that is kept is small. */
const MOST_MIB = 300;

interface Flood {
  readonly tool: string;
  /** What the call is answered. */
  readonly expected: RegExp;
}

/** The last one ends the server. */
const FLOODS: Readonly<Record<string, Flood>> = {
  "messages of any shape": { tool: "odd", expected: /^done$/ },
  "progress without end": { tool: "steps", expected: /^done$/ },
  "lines without end": { tool: "flood", expected: /: It wrote a message of more than 16 MiB\./ },
};

async function usesUp({ running }: Scene, { tool, expected }: Flood): Promise<string | undefined> {
  const answer = toolAnswer(
    await running.request("tools/call", { name: `liar_${tool}`, arguments: {} }, { progressToken: tool }),
  );
  if (!expected.test(answer.text)) return `the call was answered: ${answer.text.slice(0, 300)}`;
  const other = await running.call("other_quiet");
  if (other.text !== "quiet") return `the other server was answered for: ${other.text}`;
  const held = await lowestResident(running.pid, MOST_MIB);
  return held < MOST_MIB ? undefined : `the program holds ${held} MiB`;
}
