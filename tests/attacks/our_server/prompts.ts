/** Prompts that commands plant, and prompts of a repository whose author means harm. */
import { until } from "../../_support/deadline.ts";
import type { RpcMessage } from "../../_support/json_rpc.ts";
import type { ServerProcess } from "../../_support/server_process.ts";
import type { Workbench } from "../../_support/workbench.ts";
import { BOTH, type Row, type Scene, type ServerSetting, type Way } from "../frame/attack.ts";
import { newMarker } from "../frame/post.ts";
import { driven, together, withOneControl, withServer } from "../frame/stage.ts";

type Files = Readonly<Record<string, string>>;

interface Planting {
  /** Files of the project before the line. */
  readonly had: Files;
  readonly line: string;
  /** The names of the templates; absent: there is one, which says "planted". */
  readonly planted?: readonly string[];
}

const MINE: Files = { ".ahma/prompts/mine.md": 'Mine. {% render "_part" %}', ".ahma/prompts/_part.md": "A part." };
/** Only a template that is rendered says the numbers; in the control each of the planted ones does. */
const TEMPLATE = "'planted {{ 6 | times: 7 }}'";
/** Milliseconds in which a server on a busy machine reads its prompts again. */
const READ_AGAIN = 20_000;
const EVIDENCE = "planted 42";

/** Says `name` as well. */
function template(name: string): string {
  return `'${name} {{ 6 | times: 7 }}'`;
}

/**
 * Whether a prompt says what a line planted. The files are read after it, when the first prompt is asked for. The lines are
 * run in turn on one server, and in between a person puts in the project what the next one finds.
 */
function plants(plantings: Readonly<Record<string, Planting>>, flags: readonly string[] = []): Way {
  const prepare = (bench: Workbench) => writeAll(bench, Object.values(plantings)[0]?.had ?? {});
  return {
    aim: "evidence",
    does: driven((scene) =>
      withServer(scene, { flags: () => ["--sync", ...flags], prepare }, async (server, bench) => {
        let isFirst = true;
        return await together(scene, plantings, async (planting) => {
          if (!isFirst) await putBack(server, bench, planting.had);
          isFirst = false;
          return await saysPlanted({ ...scene, running: server }, bench, planting);
        });
      })
    ),
  };
}

async function saysPlanted(scene: Scene, bench: Workbench, planting: Planting): Promise<string | undefined> {
  const { had, line, planted = ["planted"] } = planting;
  const { enforced, running: server } = scene;
  await server.shell(line);
  if (enforced) await areReadAgain(server, bench, had);
  const areSaid = async () => {
    const text = await everythingSaid(server);
    return planted.every((name) => text.includes(`${name} 42`)) ? text : undefined;
  };
  // A busy machine may notice a change late; the control waits for it.
  const said = await (enforced ? everythingSaid(server) : until(areSaid, READ_AGAIN, planted.join(", ")));
  return await together(scene, Object.fromEntries(planted.map((name) => [name, `${name} 42`])), (evidence) => {
    return Promise.resolve(said.includes(evidence) ? `a prompt says "${evidence}"` : undefined);
  });
}

/** A person replaces the project's files with these, and the server lists their prompts and no others. */
async function putBack(server: ServerProcess, bench: Workbench, had: Files): Promise<void> {
  await bench.clearScope();
  writeAll(bench, had);
  const names = Object.keys(had).flatMap((path) => /\/([^_/]+)\.md$/.exec(path)?.[1] ?? []).sort().join();
  const areListed = async () => namesIn(await server.request("prompts/list")).toSorted().join() === names;
  await until(areListed, READ_AGAIN, `${names} and no other prompt`);
}

function namesIn({ result }: RpcMessage): readonly string[] {
  return ((result?.["prompts"] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name); // of prompts/list
}

/** Adds a prompt of the user's where the others are, and waits until it is listed: what was planted was read before. */
async function areReadAgain(server: ServerProcess, bench: Workbench, had: Files): Promise<void> {
  const [first = ""] = Object.keys(had);
  bench.write(`${first.slice(0, first.lastIndexOf("/"))}/fence.md`, "The last.");
  const isListed = async () => JSON.stringify(await server.request("prompts/list")).includes('"fence"');
  await until(isListed, READ_AGAIN, "the user's prompt");
}

/** What is outside in these rows. */
const SECRET = newMarker();

/** Writes the secret outside, and what the project holds, which names it. */
function writesProject(make: (bench: Workbench, secret: string) => void): NonNullable<ServerSetting["flags"]> {
  return (bench, enforced) => {
    const secret = bench.write(`${bench.elsewhere}/outside/secret.md`, `${SECRET}\n`);
    // The control has the secret in a prompt, with nothing to overcome.
    if (enforced) make(bench, secret);
    else writeAll(bench, { [`${PLACE}/told.md`]: SECRET, ...SHADOW });
    return ["--prompts"];
  };
}

/** Whether anything that the server says of prompts holds what is outside; the prompt beside the hostile ones says `told`. */
function tells(told = ""): Way["does"] {
  return driven(async ({ running, enforced }) => {
    const said = await everythingSaid(running);
    if (enforced && !said.includes(told)) throw new Error(`No prompt says "${told}": ${said}`);
    return said.includes(SECRET) ? "the secret came out" : undefined;
  });
}

function writeAll(bench: Workbench, files: Files): void {
  for (const [path, text] of Object.entries(files)) bench.write(path, text);
}

/** The list, each prompt of it, the status and the log. */
async function everythingSaid(server: ServerProcess): Promise<string> {
  const list = await server.request("prompts/list");
  const said = [JSON.stringify(list)];
  for (const name of namesIn(list)) said.push(JSON.stringify(await server.request("prompts/get", { name })));
  said.push((await server.call("status")).text, server.stderr);
  return said.join("\n");
}

const PLACE = ".ahma/prompts";
/** A partial in the place of a shipped one. */
const SHADOW: Files = { [`${PLACE}/_guards.md`]: TEMPLATE, [`${PLACE}/own.md`]: '{% render "_guards" %}' };

/** A repository as it was cloned, with prompts that mean harm. */
const HOSTILE: ServerSetting = {
  environment: { SECRET },
  flags: writesProject((bench, secret) => {
    writeAll(bench, {
      ...SHADOW,
      [`${PLACE}/a.md`]: `{% include "${secret}" %}`,
      [`${PLACE}/b.md`]: `{% render "../../../${secret}" %}`,
      [`${PLACE}/c.md`]: `{% assign p = "${secret}" %}{% include p %}`,
      [`${PLACE}/d.md`]: `{% layout "${secret}" %}`,
      [`${PLACE}/e.md`]: "{{ SECRET }}{{ env.SECRET }}{{ env | json }}{{ process.env.SECRET }}",
      [`${PLACE}/f.md`]: '{{ env.constructor.constructor | json }}{{ "a".constructor | json }}',
      [`${PLACE}/g.md`]: `---\ntitle: !!js/function "() => 1"\ndescription: !include ${secret}\n---\nA`,
      [`${PLACE}/h.md`]: `---\n__proto__: {env: {}}\nconstructor: 1\n---\n{{ env.SECRET }}`,
      [`${PLACE}/i.md`]: '{% include "outside/secret" %}',
      [`${PLACE}/z.md`]: "Fine {{ 6 | times: 7 }}.",
    });
    Deno.symlinkSync(secret, `${bench.scope}/${PLACE}/j.md`);
    Deno.symlinkSync(`${bench.elsewhere}/outside`, `${bench.scope}/${PLACE}/outside`);
  }),
};

/** The same with a link in the place of the directory. */
const LINKED: ServerSetting = {
  flags: writesProject((bench) => {
    writeAll(bench, { ".ahma/a.md": "A" });
    Deno.symlinkSync(`${bench.elsewhere}/outside`, `${bench.scope}/${PLACE}`);
  }),
};

export const PROMPTS: readonly Row[] = [
  {
    id: "C18",
    title: "plant a prompt for the user to pick",
    users: BOTH,
    aim: "evidence",
    ways: withOneControl({
      "in the project's directory, in another, in SwissArmyHammer's": plants({
        "a new one, one in the place of another, a partial that one includes": {
          had: { ...MINE, ".ahma/prompts/yours.md": "Yours." },
          planted: ["new", "replaced", "partial"],
          line: [
            `echo ${template("new")} > ${PLACE}/new.md`,
            `echo ${template("replaced")} > x; mv -f x ${PLACE}/yours.md`,
            `echo ${template("partial")} > ${PLACE}/_part.md`,
          ].join("\n"),
        },
        "another directory": {
          had: MINE,
          line: `mv .ahma old; mkdir -p ${PLACE}; echo ${TEMPLATE} > ${PLACE}/new.md`,
        },
        "SwissArmyHammer's directory": {
          had: { ".swissarmyhammer/prompts/mine.md": "Mine." },
          line: `echo ${TEMPLATE} > .swissarmyhammer/prompts/new.md`,
        },
      }),
      "in the directory of a flag": plants({
        "a new one": {
          had: { "docs/prompts/mine.md": "Mine." },
          line: `echo ${TEMPLATE} > docs/prompts/new.md`,
        },
      }, ["--prompts-dir", "docs/prompts"]),
    }),
  },
  {
    id: "C19",
    title: "read outside with the prompts of a hostile repository",
    users: BOTH,
    aim: "evidence",
    ways: withOneControl({
      "links to a file and a directory, includes of paths, variables, front matter": {
        does: tells("Fine 42."),
        sharedServer: HOSTILE,
      },
      "a link in the place of the directory": { does: tells(), ownServer: LINKED },
    }),
  },
  {
    id: "C20",
    title: "change the text of the shipped prompts by a partial of the project",
    users: BOTH,
    aim: "evidence",
    ways: {
      "_guards": {
        does: driven(async ({ running, enforced }) => {
          // The control asks for what the project may change: its own prompt.
          const names = ["next_issue", enforced ? "double_check" : "own"];
          const said = await Promise.all(names.map((name) => running.request("prompts/get", { name })));
          return JSON.stringify(said).includes(EVIDENCE) ? `a prompt says "${EVIDENCE}"` : undefined;
        }),
        sharedServer: HOSTILE,
      },
    },
  },
];
