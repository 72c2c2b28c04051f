/** T31 and T32: tools for notes in a repository that has links in the place of notes. */
import type { ToolAnswer } from "../../_support/json_rpc.ts";
import { ORDINARY_ID } from "../../_support/workbench.ts";
import { BOTH, type Call, type Driven, type Place, type Row, type Scene, type Way } from "../frame/attack.ts";
import { NATIVE } from "./server.ts";

const ALIKE = "the worker opens notes through no link, whose process it is";
/** What is in place of notes. */
type Repository = (place: Place) => Readonly<Record<string, string>>;

function call(tool: string, args: Readonly<Record<string, unknown>> = {}): Call {
  return { tool, arguments: args };
}

/** Makes the links; the function it gives removes them and what is around them. */
function plant(links: Readonly<Record<string, string>>, { user, scope, parent }: Scene): () => void {
  const own = user === "ordinary" && Deno.uid() === 0;
  for (const [path, target] of Object.entries(links)) {
    const full = path.startsWith("/") ? path : `${scope}/${path}`;
    const directory = full.slice(0, full.lastIndexOf("/"));
    Deno.mkdirSync(directory, { recursive: true });
    Deno.symlinkSync(target, full);
    if (own && ![scope, parent].includes(directory)) Deno.chownSync(directory, ORDINARY_ID, ORDINARY_ID);
  }
  const tops = Object.keys(links).map((path) => path.startsWith("/") ? path : `${scope}/${path.split("/")[0]}`);
  return () => {
    for (const path of new Set(tops)) Deno.removeSync(path, { recursive: true });
  };
}

/** What is asked in each repository, one after the other; then notes of a plain one show that they are served. */
function planted(calls: readonly Call[], control: NonNullable<Way["control"]>): Way {
  const drive = async (scene: Scene): Promise<Driven> => {
    const { running, scope } = scene;
    const answers: ToolAnswer[] = [];
    for (const repository of Object.values(REPOSITORIES)) {
      const clear = plant(repository(scene), scene);
      for (const { tool, arguments: args } of calls) answers.push(await running.call(tool, args));
      clear();
    }
    await running.call("memo_create", { title: "mine", content: "mine 42" });
    const { text } = await running.call("memo_get", { title: "mine" });
    if (!text.includes("mine 42")) throw new Error(`Notes of a plain repository are not served: ${text}`);
    await Deno.remove(`${scope}/.ahma`, { recursive: true });
    return { answers };
  };
  return {
    does: { drive },
    control,
    prepare: ({ secret, out }) => Deno.copyFileSync(secret, `${out}/leak.md`),
    sharedServer: NATIVE,
  };
}

const READS: readonly Call[] = [
  call("issue_list", { show_completed: true }),
  ...["leak", "link"].map((name) => call("issue_show", { name, raw: true })),
  call("issue_search", { query: "a" }),
  call("memo_list"),
  ...["leak", "link"].map((title) => call("memo_get", { title })),
  call("memo_get_all_context"),
  call("todo_list"),
  call("question_summary"),
];

const WRITES: readonly Call[] = [
  call("issue_create", { name: "new", content: "planted" }),
  ...["leak", "link"].map((name) => call("issue_update", { name, content: "planted" })),
  ...["leak", "link"].map((name) => call("issue_delete", { name })),
  call("memo_create", { title: "new", content: "planted" }),
  call("memo_update", { title: "leak", content: "planted" }),
  call("memo_delete", { title: "link" }),
  call("todo_create", { task: "planted" }),
];

const REPOSITORIES: Readonly<Record<string, Repository>> = {
  "links among notes": ({ secret, out }) => ({
    ".ahma/issues/link.md": secret,
    ".ahma/issues/complete": out,
    ".ahma/memos/link.md": `${out}/leak.md`,
    ".ahma/state/todo.yaml": secret,
    ".ahma/state/questions": out,
    ".ahma/state/.lock": `${out}/new`,
  }),
  "links in place of directories": ({ out }) => ({
    ".ahma/issues": out,
    ".ahma/memos": out,
    ".ahma/state": out,
  }),
  "a link in place of all": ({ parent, out }) => ({
    ...Object.fromEntries(["issues", "memos", "state"].map((name) => [`${parent}/${name}`, out])),
    ".ahma": parent,
  }),
  "links of another program's notes": ({ out, secret }) => ({
    ".swissarmyhammer/issues": out,
    ".sah/memos": out,
    ".sah/todo.yaml": secret,
  }),
};

const EACH = Object.keys(REPOSITORIES).join(", ");

export const NATIVE_NOTES: readonly Row[] = [
  {
    id: "T31",
    title: "tools for notes read what is outside",
    users: BOTH,
    alikeForRoot: ALIKE,
    aim: "read",
    ways: { [EACH]: planted(READS, ({ secret }) => `cat ${secret}`) },
  },
  {
    id: "T32",
    title: "tools for notes change what is outside",
    users: BOTH,
    alikeForRoot: ALIKE,
    aim: "write",
    ways: { [EACH]: planted(WRITES, ({ out }) => `echo planted > ${out}/new`) },
  },
];
