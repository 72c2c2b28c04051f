/** Prompts that commands plant, and prompts of a repository whose author means harm. */
import { until } from "../../_support/deadline.ts";
import type { ServerProcess } from "../../_support/server_process.ts";
import type { Workbench } from "../../_support/workbench.ts";
import { BOTH, type Row, type Scene, type Way } from "../frame/attack.ts";
import { newMarker } from "../frame/post.ts";
import { driven, together, withOneControl, withServer } from "../frame/stage.ts";

type Files = Readonly<Record<string, string>>;

interface Planting {
  /** Files of the project at the start. */
  readonly had: Files;
  readonly line: string;
  readonly flags?: readonly string[];
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

/** Whether a prompt says what the line planted. The files are read after it, when the first prompt is asked for. */
function plants({ had, line, flags = [], planted = ["planted"] }: Planting): Way {
  const prepare = (bench: Workbench) => writeAll(bench, had);
  return {
    aim: "evidence",
    does: driven((scene) =>
      withServer(scene, { flags: () => ["--sync", ...flags], prepare }, async (server, bench) => {
        await server.shell(line);
        if (scene.enforced) await areReadAgain(server, bench, had);
        const areSaid = async () => {
          const text = await everythingSaid(server);
          return planted.every((name) => text.includes(`${name} 42`)) ? text : undefined;
        };
        // A busy machine may notice a change late; the control waits for it.
        const said = await (scene.enforced ? everythingSaid(server) : until(areSaid, READ_AGAIN, planted.join(", ")));
        return await together(scene, Object.fromEntries(planted.map((name) => [name, `${name} 42`])), (evidence) => {
          return Promise.resolve(said.includes(evidence) ? `a prompt says "${evidence}"` : undefined);
        });
      })
    ),
  };
}

/** Adds a prompt of the user's where the others are, and waits until it is listed: what was planted was read before. */
async function areReadAgain(server: ServerProcess, bench: Workbench, had: Files): Promise<void> {
  const [first = ""] = Object.keys(had);
  bench.write(`${first.slice(0, first.lastIndexOf("/"))}/fence.md`, "The last.");
  const isListed = async () => JSON.stringify(await server.request("prompts/list")).includes('"fence"');
  await until(isListed, READ_AGAIN, "the user's prompt");
}

/** A repository as it was cloned. The control has the secret in a prompt, with nothing to overcome. */
interface Repository {
  readonly make: (bench: Workbench, secret: string) => void;
  /** What a prompt beside the hostile ones says: they do not keep the server from its work. */
  readonly told?: string;
}

/** Whether anything that the server says of prompts holds what is outside. */
function tells({ make, told = "" }: Repository): Way {
  return {
    aim: "evidence",
    does: driven((scene: Scene) => {
      const marker = newMarker();
      const prepare = (bench: Workbench) => {
        const secret = bench.write(`${bench.elsewhere}/outside/secret.md`, `${marker}\n`);
        if (scene.enforced) make(bench, secret);
        else writeAll(bench, { ".ahma/prompts/told.md": marker });
      };
      return withServer(
        scene,
        { flags: () => ["--prompts"], environment: { SECRET: marker }, prepare },
        async (server) => {
          const said = await everythingSaid(server);
          if (scene.enforced && !said.includes(told)) throw new Error(`No prompt says "${told}": ${said}`);
          return said.includes(marker) ? "the secret came out" : undefined;
        },
      );
    }),
  };
}

function writeAll(bench: Workbench, files: Files): void {
  for (const [path, text] of Object.entries(files)) bench.write(path, text);
}

/** The list, each prompt of it, the status and the log. */
async function everythingSaid(server: ServerProcess): Promise<string> {
  const list = await server.request("prompts/list");
  const listed = (list.result?.["prompts"] ?? []) as readonly { readonly name: string }[]; // the answer to prompts/list
  const said = [JSON.stringify(list)];
  for (const { name } of listed) said.push(JSON.stringify(await server.request("prompts/get", { name })));
  said.push((await server.call("status")).text, server.stderr);
  return said.join("\n");
}

const PLACE = ".ahma/prompts";

export const PROMPTS: readonly Row[] = [
  {
    id: "C18",
    title: "plant a prompt for the user to pick",
    users: BOTH,
    aim: "evidence",
    ways: {
      "a new one, one in the place of another, a partial that one includes": plants({
        had: { ...MINE, ".ahma/prompts/yours.md": "Yours." },
        planted: ["new", "replaced", "partial"],
        line: [
          `echo ${template("new")} > ${PLACE}/new.md`,
          `echo ${template("replaced")} > x; mv -f x ${PLACE}/yours.md`,
          `echo ${template("partial")} > ${PLACE}/_part.md`,
        ].join("\n"),
      }),
      "another directory": plants({
        had: MINE,
        line: `mv .ahma old; mkdir -p ${PLACE}; echo ${TEMPLATE} > ${PLACE}/new.md`,
      }),
      "in the directory of a flag": plants({
        had: { "docs/prompts/mine.md": "Mine." },
        flags: ["--prompts-dir", "docs/prompts"],
        line: `echo ${TEMPLATE} > docs/prompts/new.md`,
      }),
      "in SwissArmyHammer's directory": plants({
        had: { ".swissarmyhammer/prompts/mine.md": "Mine." },
        line: `echo ${TEMPLATE} > .swissarmyhammer/prompts/new.md`,
      }),
    },
  },
  {
    id: "C19",
    title: "read outside with the prompts of a hostile repository",
    users: BOTH,
    aim: "evidence",
    ways: withOneControl({
      "links to a file and a directory, includes of paths, variables, front matter": tells({
        told: "Fine 42.",
        make: (bench, secret) => {
          writeAll(bench, {
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
        },
      }),
      "a link in the place of the directory": tells({
        make: (bench) => {
          writeAll(bench, { ".ahma/a.md": "A" });
          Deno.symlinkSync(`${bench.elsewhere}/outside`, `${bench.scope}/${PLACE}`);
        },
      }),
    }),
  },
  {
    id: "C20",
    title: "change the text of the shipped prompts by a partial of the project",
    users: BOTH,
    aim: "evidence",
    ways: {
      "_guards": {
        aim: "evidence",
        does: driven((scene) => {
          const shadow = { [`${PLACE}/_guards.md`]: TEMPLATE, [`${PLACE}/own.md`]: '{% render "_guards" %}' };
          // The control asks for what the project may change: its own prompt.
          const name = scene.enforced ? "double_check" : "own";
          const setting = { flags: () => ["--prompts"], prepare: (bench: Workbench) => writeAll(bench, shadow) };
          return withServer(scene, setting, async (server) => {
            const said = ["next_issue", name].map((one) => server.request("prompts/get", { name: one }));
            return JSON.stringify(await Promise.all(said)).includes(EVIDENCE)
              ? `a prompt says "${EVIDENCE}"`
              : undefined;
          });
        }),
      },
    },
  },
];
