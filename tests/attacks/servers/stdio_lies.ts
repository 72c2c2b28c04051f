/** V10 to V12: a stdio server behind the program that means harm to the client, or to the program itself. */
import { lowestResident } from "../../_support/processes.ts";
import { type RpcMessage, toolAnswer } from "../../_support/json_rpc.ts";
import { BOTH, type Row, type Scene, type ServerSetting, type Way } from "../frame/attack.ts";
import { driven, withServer } from "../frame/stage.ts";
import { behindUs, type HostileKind, spokenToDirectly } from "./hostile_server.ts";

/** It does what no client expects, with an innocent one beside it. */
const LIAR: ServerSetting = { flags: behindUs({ evil: "liar", other: "quiet" }), lists: ["evil_forge", "other_quiet"] };

/** Calls a tool of the liar; `judge` looks at all messages that the client got, `control` at those of a naive one. */
function lies(tool: string, judge: (lines: readonly string[]) => string | undefined): Way {
  return {
    does: driven((scene) => clientSees(scene, tool, judge)),
    control: driven(async () => judge(await spokenToDirectly("liar", tool))),
    sharedServer: LIAR,
  };
}

async function clientSees(
  { running }: Scene,
  tool: string,
  judge: (lines: readonly string[]) => string | undefined,
): Promise<string | undefined> {
  const lines: string[] = [];
  running.listen((message) => lines.push(JSON.stringify(message)));
  await running.call(`evil_${tool}`, {}, { progressToken: `p-${tool}` });
  const other = await running.call("other_quiet");
  if (other.text !== "quiet") return `the other server was answered for: ${other.text}`;
  await running.request("tools/list");
  return judge(lines);
}

/** Questions that a server may have open. */
const MOST_QUESTIONS = 8;

/** A client that takes questions, and whose user answers none. */
async function askedUser(
  scene: Scene,
  judge: (lines: readonly string[]) => string | undefined,
): Promise<string | undefined> {
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
function holding(pattern: RegExp): (lines: readonly string[]) => string | undefined {
  return (lines) => lines.find((line) => pattern.test(line))?.slice(0, 300);
}

/** More lines have it than the client can want. */
function moreThan(most: number, pattern: RegExp): (lines: readonly string[]) => string | undefined {
  return (lines) => {
    const { length } = lines.filter((line) => pattern.test(line));
    return length > most ? `${length} messages` : undefined;
  };
}

const CONTROL_CHARACTERS = /\\u200b|\\u202e|\\u001b|\\u0007|\\udb40|\u200b|\u202e|\u{e0041}/u;

/** Asks for the list of the program with these servers, and calls a tool of it. */
async function listAndCall(
  scene: Scene,
  servers: Readonly<Record<string, HostileKind>>,
  tool?: string,
): Promise<readonly RpcMessage[]> {
  return await withServer(scene, { flags: behindUs(servers) }, async (server) => {
    const list = await server.request("tools/list");
    return tool === undefined
      ? [list]
      : [list, await server.request("tools/call", { name: tool, arguments: { command: "true" } })];
  });
}

function direct(kind: HostileKind, tool: string, pattern: RegExp) {
  return driven(async () => holding(pattern)(await spokenToDirectly(kind, tool)));
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
      // A call of the same server at the same time may be answered so: by the server that it was for.
      "answers to calls that it did not get": { ...lies("forge", holding(/forged 42/)), ownServer: LIAR },
      "requests without end": lies("ask", holding(/asked 42/)),
      "questions to the user without end": {
        does: driven((scene) => askedUser(scene, moreThan(MOST_QUESTIONS, /"elicitation\/create"/))),
        control: driven(async () =>
          moreThan(MOST_QUESTIONS, /"elicitation\/create"/)(await spokenToDirectly("liar", "question"))
        ),
      },
      "a storm of notifications": lies("storm", moreThan(20, /storm 42|list_changed/)),
      "facts of our operations": lies("claim", holding(/ahma\/operation"|"task":|related-task|"requestState"/)),
      "a refusal with hidden characters": lies("refuse", holding(/no(\\u200b|\u200b)|y{9000}/)),
    },
  },
  {
    id: "V11",
    title: "a server takes names and hides text",
    users: BOTH,
    alikeForRoot: "the program decides what it hands on",
    aim: "evidence",
    ways: {
      "hidden characters in names, descriptions and schemas": {
        does: driven(async (scene) =>
          holding(CONTROL_CHARACTERS)([JSON.stringify(await listAndCall(scene, { h: "hidden" }))])
        ),
        control: direct("hidden", "x", CONTROL_CHARACTERS),
      },
      "the name of a tool of ours": {
        does: driven(async (scene) => {
          const answers = await listAndCall(scene, { sandboxed: "sandboxed" }, "sandboxed_shell");
          return holding(/evil 42/)([JSON.stringify(answers)]);
        }),
        control: direct("sandboxed", "shell", /evil 42/),
      },
      "the name of another server's tool": {
        does: driven(async (scene) => {
          const answers = await listAndCall(scene, { good: "good", good_evil: "good_evil" }, "good_evil_tool");
          return holding(/evil 42/)([JSON.stringify(answers)]);
        }),
        control: direct("good", "evil_tool", /evil 42/),
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
      "lines without end": usesUp("flood", /: It wrote a message of more than 16 MiB\./),
      "messages of any shape": usesUp("odd"),
      "progress without end": usesUp("steps"),
    },
  },
];

/** Megabytes that the program may hold after it; a list of tools that is kept is small. */
const MOST_MIB = 300;

function usesUp(tool: string, expected = /^done$/): Way {
  return {
    does: driven(async ({ running }) => {
      const answer = toolAnswer(
        await running.request("tools/call", { name: `evil_${tool}`, arguments: {} }, { progressToken: tool }),
      );
      if (!expected.test(answer.text)) return `the call was answered: ${answer.text.slice(0, 300)}`;
      const other = await running.call("other_quiet");
      if (other.text !== "quiet") return `the other server was answered for: ${other.text}`;
      const held = await lowestResident(running.pid, MOST_MIB);
      return held < MOST_MIB ? undefined : `the program holds ${held} MiB`;
    }),
    ownServer: LIAR,
    noControl: "a client that keeps all of it would show what it holds, and nothing of the program",
  };
}
