/** T21 and T22: native tools that change files, pointed at what is outside and at what is protected. */
import type { ServerProcess } from "../../_support/server_process.ts";
import type { Workbench } from "../../_support/workbench.ts";
import { BOTH, type Call, type Place, type Row, type Scene, type Way } from "../frame/attack.ts";
import { driven, together, withOneControl, withServer } from "../frame/stage.ts";
import { addedTo, NATIVE } from "./server.ts";
import { noFilter, REFUSING_NAMESPACES } from "../means/unusual_start.ts";

type Calls = (place: Place) => readonly Call[];

function write(path: string, more: Readonly<Record<string, unknown>> = {}): Call {
  return { tool: "files_write", arguments: { path, content: "planted\n", ...more } };
}

function edit(path: string, old: string): Call {
  return { tool: "files_edit", arguments: { path, old_string: old, new_string: "planted\n" } };
}

function patch(...lines: readonly string[]): Call {
  return { tool: "files_patch", arguments: { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") } };
}

/** Without the sandbox the tools keep to the scope all the same, so a command shows that the place could be changed. */
function outside(does: Calls, prepare?: (place: Place) => void): Way {
  return {
    does,
    sharedServer: NATIVE,
    control: ({ out }) => `echo planted > ${out}/new`,
    ...prepare !== undefined && { prepare },
  };
}

function link(name: string, to: (place: Place) => string): (place: Place) => void {
  return (place) => Deno.symlinkSync(to(place), `${place.directory}/${name}`);
}

const OUTSIDE: Readonly<Record<string, Way>> = {
  "make a file": outside(({ out }) => [write(`${out}/new`), edit(`${out}/new`, ""), write(`${out}/a/b/c`)]),
  "by steps up": outside(({ directory, out }) => {
    return [
      write(`${directory}/${"../".repeat(20)}${out.slice(1)}/new`),
      write(`${"../".repeat(20)}${out.slice(1)}/new`),
    ];
  }),
  "replace, append to and edit a file": outside(({ out }) => [
    write(`${out}/secret`),
    write(`${out}/directory/inside`, { append: true }),
    edit(`${out}/directory/inside`, "as it was"),
  ]),
  "patch, remove and move files": outside(({ out, directory }) => [
    patch(`*** Add File: ${out}/new`, "+planted"),
    patch(`*** Update File: ${out}/directory/inside`, "-as it was", "+planted"),
    patch(`*** Delete File: ${out}/secret`),
    patch(`*** Update File: ${out}/secret`, `*** Move to: ${directory}/mine`),
    patch(`*** Add File: ${directory}/mine`, "+x", `*** Add File: ${out}/new`, "+planted"),
  ]),
  "through a link to a file": outside(
    ({ directory }) => [write(`${directory}/link`), edit(`${directory}/link`, "as it was")],
    link("link", ({ out }) => `${out}/directory/inside`),
  ),
  "through a link to a directory": outside(
    ({ directory }) => [write(`${directory}/link/new`), write(`${directory}/link/directory/inside`, { append: true })],
    link("link", ({ out }) => out),
  ),
  "through a link to what is not there": outside(
    ({ directory }) => [write(`${directory}/link`), edit(`${directory}/link`, "")],
    link("link", ({ out }) => `${out}/new`),
  ),
  "by magic links": outside(({ out, server, directory }) => [
    write(`/proc/self/root${out}/new`),
    write(`/proc/${server}/root${out}/new`),
    write(`/proc/self/cwd/${"../".repeat(20)}${out.slice(1)}/new`),
    write(`/dev/fd/../../self/root${out}/new`),
    write(`${directory}/new`),
  ]),
};

/** Obeyed by programs outside, what is there before, and what is not. */
const PRESENT: readonly string[] = [
  ".git/hooks/pre-commit",
  ".git/config",
  ".vscode/tasks.json",
  ".mcp.json",
  ".claude/settings.json",
  ".envrc",
  ".ahma/tools/tool.json",
  "part/.git/config",
  "part/.git/hooks/post-merge",
];
const ABSENT: readonly string[] = [".git/hooks/post-merge", ".husky/pre-push", ".codex/config.toml", "tree/.git"];
const UNPROTECTED = "plain";
const BEFORE = "as it was\n";

interface Changing {
  readonly change: (path: string) => Call;
  readonly paths: readonly string[];
}

function prepare(bench: Workbench): void {
  for (const path of [UNPROTECTED, ...PRESENT]) bench.write(path, BEFORE);
  bench.write("tree/kept", "");
  Deno.symlinkSync(".git/hooks", `${bench.scope}/way`);
  Deno.linkSync(`${bench.scope}/.envrc`, `${bench.scope}/second`);
}

interface Attacked {
  readonly server: ServerProcess;
  readonly bench: Workbench;
}

/** What became other than it was, of protected paths. @throws Error where a file that is not protected cannot be changed. */
async function changedBy({ change, paths }: Changing, { server, bench }: Attacked): Promise<string | undefined> {
  const changed: string[] = [];
  for (const path of [UNPROTECTED, ...paths]) {
    const { tool, arguments: args } = change(path);
    const { text } = await server.call(tool, args);
    const file = `${bench.scope}/${SAME_FILE[path] ?? path}`;
    const is = await Deno.readTextFile(file).catch(() => undefined);
    if (is?.includes("planted") === true) changed.push(path);
    else if (path === UNPROTECTED) throw new Error(`"${tool}" changes nothing at all: ${text}`);
  }
  bench.write(UNPROTECTED, BEFORE);
  return changed.length > 1 ? changed.join(", ") : undefined;
}

/** The changes one after the other. */
async function changes(scene: Scene, all: Readonly<Record<string, Changing>>, at: Attacked) {
  return await together(scene, all, (one) => changedBy(one, at));
}

/** Other names of protected files. */
const SAME_FILE: Readonly<Record<string, string>> = { "way/pre-commit": ".git/hooks/pre-commit", "second": ".envrc" };
const ALL: readonly string[] = [...Object.keys(SAME_FILE), ...PRESENT.slice(1, 5), ...PRESENT.slice(6), ...ABSENT];

/** One tool tries every path, and each of the others every second one: all open files alike. */
const CHANGES = {
  write: { change: (path) => write(path), paths: ALL },
  edit: {
    change: (path) => edit(path, BEFORE),
    paths: ALL.filter((path, at) => at % 2 === 0 && !ABSENT.includes(path)),
  },
  patch: {
    change: (path) => {
      return ABSENT.includes(path)
        ? patch(`*** Add File: ${path}`, "+planted")
        : patch(`*** Update File: ${path}`, "-as it was", "+planted");
    },
    paths: ALL.filter((_, at) => at % 2 === 1),
  },
} satisfies Readonly<Record<string, Changing>>;

export const NATIVE_WRITES: readonly Row[] = [
  {
    id: "T21",
    title: "native tools change what is outside",
    users: BOTH,
    aim: "write",
    ways: withOneControl(OUTSIDE),
  },
  {
    id: "T22",
    title: "native tools change what programs outside obey",
    users: BOTH,
    alikeForRoot: "what protects a file is the same for every user; root tries it in X09, and such tools in T21",
    aim: "evidence",
    ways: {
      "write, edit and patch": {
        does: driven(async (scene) => {
          const { running: server, bench } = scene;
          using _added = addedTo(bench);
          prepare(bench);
          return await changes(scene, CHANGES, { server, bench });
        }),
        control: driven(async ({ running, directory }) => {
          await running.shell("echo planted > .mcp.json", { working_directory: directory });
          return (await Deno.readTextFile(`${directory}/.mcp.json`)) === "planted\n" ? "it was changed" : undefined;
        }),
        sharedServer: NATIVE,
      },
      // What is protected is there before this server.
      "write, with Landlock alone": {
        does: driven((scene) =>
          withServer(
            scene,
            { flags: () => ["--bundles", "files"], prepare, prefix: REFUSING_NAMESPACES.prefix },
            (server, bench) => changes(scene, { write: CHANGES.write }, { server, bench }),
          )
        ),
        needs: { machine: noFilter },
        noControl: "it would be that of the other way",
      },
    },
  },
];
