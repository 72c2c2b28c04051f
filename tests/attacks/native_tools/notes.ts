/** T31 and T32: tools for notes in a repository that has links in the place of notes. */
import { BOTH, type Call, type Place, type Row, type ServerSetting, type Way } from "../frame/attack.ts";
import { withOneControl } from "../frame/stage.ts";

const ALIKE = "the worker opens notes through no link, whose process it is";
/** What is in place of notes, and the server of the repository that has it, which both rows use. */
interface Repository {
  readonly links: (place: Place) => Readonly<Record<string, string>>;
  readonly server: ServerSetting;
}

function repository(links: Repository["links"]): Repository {
  return { links, server: { flags: () => ["--bundles", "issues,memos,todo,question"] } };
}

function call(tool: string, args: Readonly<Record<string, unknown>> = {}): Call {
  return { tool, arguments: args };
}

/** What is asked in each repository. */
function planted(calls: readonly Call[], control: NonNullable<Way["control"]>, { links, server }: Repository): Way {
  return {
    does: () => calls,
    prepare: (place, give) => {
      Deno.copyFileSync(place.secret, `${place.out}/leak.md`);
      const made = Object.entries(links(place)).map(([path, target]) => {
        const full = path.startsWith("/") ? path : `${place.scope}/${path}`;
        const parent = full.slice(0, full.lastIndexOf("/"));
        Deno.mkdirSync(parent, { recursive: true });
        Deno.symlinkSync(target, full);
        if (![place.scope, place.parent].includes(parent)) give(parent);
        return full;
      });
      return () => {
        for (const path of made.toReversed()) Deno.removeSync(path);
      };
    },
    control,
    sharedServer: server,
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
  "links among notes": repository(({ secret, out }) => ({
    ".ahma/issues/link.md": secret,
    ".ahma/issues/complete": out,
    ".ahma/memos/link.md": `${out}/leak.md`,
    ".ahma/state/todo.yaml": secret,
    ".ahma/state/questions": out,
    ".ahma/state/.lock": `${out}/new`,
  })),
  "links in place of directories": repository(({ out }) => ({
    ".ahma/issues": out,
    ".ahma/memos": out,
    ".ahma/state": out,
  })),
  "a link in place of all": repository(({ parent, out }) => ({
    ...Object.fromEntries(["issues", "memos", "state"].map((name) => [`${parent}/${name}`, out])),
    ".ahma": parent,
  })),
  "links of another program's notes": repository(({ out, secret }) => ({
    ".swissarmyhammer/issues": out,
    ".sah/memos": out,
    ".sah/todo.yaml": secret,
  })),
};

function ways(calls: readonly Call[], control: NonNullable<Way["control"]>): Readonly<Record<string, Way>> {
  return withOneControl(
    Object.fromEntries(Object.entries(REPOSITORIES).map(([name, one]) => [name, planted(calls, control, one)])),
  );
}

export const NATIVE_NOTES: readonly Row[] = [
  {
    id: "T31",
    title: "tools for notes read what is outside",
    users: BOTH,
    alikeForRoot: ALIKE,
    aim: "read",
    ways: ways(READS, ({ secret }) => `cat ${secret}`),
  },
  {
    id: "T32",
    title: "tools for notes change what is outside",
    users: BOTH,
    alikeForRoot: ALIKE,
    aim: "write",
    ways: ways(WRITES, ({ out }) => `echo planted > ${out}/new`),
  },
];
