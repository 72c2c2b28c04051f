/** Y60, Y61 and Y65: the store of `--undo`, which holds what a project no longer has (S39). */
import { createHash } from "node:crypto";
import { processesWith } from "../../_support/processes.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { exists, Workbench } from "../../_support/workbench.ts";
import { BOTH, type Row, type Scene, type ServerSetting, type Way } from "../frame/attack.ts";
import { newMarker } from "../frame/post.ts";
import { driven, together } from "../frame/stage.ts";

/** A server whose store holds what was removed from its scope. */
interface Kept {
  readonly bench: Workbench;
  readonly server: ServerProcess;
  /** The directory of the store. */
  readonly store: string;
  readonly marker: string;
  /** The server and its processes, one of which holds the store open. */
  readonly pids: readonly number[];
  /** Of the removal. */
  readonly operation: string;
}

type Line = (kept: Kept) => string;

/** The directory of the store of a bench that has one. */
export function storeOf({ home }: Workbench): string | undefined {
  const stores = `${home}/.local/state/ahma/undo`;
  return Array.from(Deno.readDirSync(stores), ({ name }) => `${stores}/${name}`).find((one) => !one.endsWith(".scope"));
}

/** A server that rows about such stores share. Git would obey the variables in each call. */
export const UNDO: ServerSetting = {
  // A busy machine may take long for what follows at once elsewhere.
  flags: () => ["--undo", "--inline-wait", "120000"],
  environment: {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: "tools/fsmonitor",
    GIT_EXTERNAL_DIFF: "tools/diff",
    GIT_PAGER: "tools/pager",
  },
};

/** Removes a file, which the store has from then on. */
async function keeps({ running: server, bench }: Scene): Promise<Kept> {
  const marker = newMarker();
  bench.write("removed", `${marker}\n`);
  const { text } = await server.shell("rm removed");
  const [operation] = /op_\w+/.exec(text) ?? [];
  const store = storeOf(bench);
  if (operation === undefined || store === undefined) throw new Error(`Nothing was kept: ${text}`);
  const pids = (await processesWith(bench.marker)).map(({ pid }) => pid);
  return { bench, server, store, marker, operation, pids };
}

/** Where commands may look for the store, as the directory of it. */
const PLACES: Readonly<Record<string, Line>> = {
  "its path": ({ store }) => store,
  "a link": ({ store }) => `$(ln -sfn ${store}/.. way && echo way/*)`,
  "/proc of the server": ({ store, server: { pid } }) => `/proc/${pid}/root${store} /proc/self/root${store}`,
  "descriptors of what it started": ({ pids }) => `/proc/{${pids.join()}}/fd/*/..`,
  "steps up": ({ store }) => `${"../".repeat(20)}${store.slice(1)}`,
  "renamed parents": ({ bench: { home } }) =>
    `$(mv ${home}/.local ${home}/moved && echo ${home}/moved/state/ahma/undo/*)`,
  "variables": () => "$(eval echo ~$(id -un))/.local/state/ahma/undo/* $HOME/.local/state/ahma/undo/*",
};

const READ = "for p in PLACE; do for o in $p/objects/* $p/journals/*; do case $o in *'*'*) continue ;; esac; " + // none is seen
  'timeout 5 cat "$o"; ln "$o" linked && cat linked; rm -f linked; done; done 2>/dev/null';

/** What each of them does at a place. */
const HARM: Readonly<Record<string, string>> = {
  "contents are removed": "rm -rf PLACE/objects",
  "contents are altered": "for o in PLACE/objects/*; do echo x > $o; done",
  "journals are altered": "for o in PLACE/journals/*; do : > $o; done",
  "it is closed": "chmod 0 PLACE/objects",
  "it is filled": "head -c 100000 /dev/zero > PLACE/objects/filled; mkdir PLACE/more",
  "it is moved": "mv PLACE/objects PLACE/gone",
};

const CHANGES: Readonly<Record<string, Line>> = Object.fromEntries([
  ...Object.entries(HARM).map(([name, line]) => [name, ({ store }: Kept) => line.replaceAll("PLACE", store)]),
  ...["a link", "/proc of the server", "renamed parents"].map((name) => [
    `contents are removed by ${name}`,
    (kept: Kept) => `for d in ${PLACES[name]?.(kept)}; do rm -rf $d/objects; done`,
  ]),
]);

/** The allowance: what was removed comes back, and goes once more for the next attempt. */
async function comesBack({ bench, server, operation, marker }: Kept): Promise<boolean> {
  await server.call("changes", { operation_id: operation, action: "undo", paths: ["removed"] });
  const { text } = await server.shell("cat removed && rm removed");
  return text.includes(marker) && !exists(`${bench.scope}/removed`);
}

/** Contents and what else is there; the server adds to the end of its journals. */
function stateOf(store: string): string {
  const list = (directory: string) => Array.from(Deno.readDirSync(directory), ({ name }) => name).sort();
  const mode = Deno.statSync(`${store}`).mode;
  const names = list(store).map((name) => `${name} ${Deno.statSync(`${store}/${name}`).mode}`);
  if (!exists(`${store}/objects`) || !exists(`${store}/journals`)) return `${names}`;
  const damaged = list(`${store}/objects`).filter((name) =>
    createHash("sha256").update(Deno.readFileSync(`${store}/objects/${name}`)).digest("hex") !== name
  );
  const lines = list(`${store}/journals`).map((name) => Deno.readTextFileSync(`${store}/journals/${name}`).split("\n"));
  const torn = lines.flat().filter((line) => line !== "" && !/^[0-9a-f]+ \[/.test(line));
  return JSON.stringify({ mode, names, damaged, journals: lines.length, torn });
}

/** What a control undoes in home after an attempt: `moved` is moved back, and the store is as it was. */
const MOVED_BACK = "if test -d moved; then rm -rf .local; mv moved .local; fi";
const AS_IT_WAS = `${MOVED_BACK}; chmod -R u+rwx .local; rm -rf .local; cp -a ../kept .local`;

interface InTurn {
  readonly attempts: Readonly<Record<string, Line>>;
  readonly act: (kept: Kept, line: Line) => Promise<string | undefined>;
  /** A shell line. */
  readonly undo: string;
}

/** The attempts on one server; without the sandbox, where each has its effect, that is undone. */
function inTurn({ attempts, act, undo }: InTurn): Way {
  const does = driven(async (scene) => {
    const kept = await keeps(scene);
    const inHome = (line: string) => new Deno.Command("sh", { args: ["-c", line], cwd: kept.bench.home }).output();
    if (!scene.enforced) await inHome("rm -rf ../kept; cp -a .local ../kept");
    return await together(scene, attempts, async (line) => {
      const what = await act(kept, line);
      if (!scene.enforced) await inHome(undo);
      return what;
    });
  });
  return { does, sharedServer: UNDO };
}

/** Where the user's directories are said to be, so that commands could reach the store. */
const STATES = {
  "XDG_STATE_HOME in the scope": ({ scope }: Workbench) => ({ XDG_STATE_HOME: `${scope}/state` }),
  "XDG_STATE_HOME behind a link of the scope": (bench: Workbench) => {
    bench.write("state/kept", "");
    Deno.symlinkSync(`${bench.scope}/state`, `${bench.elsewhere}/way`);
    return { XDG_STATE_HOME: `${bench.elsewhere}/way` };
  },
  "HOME with a link into the scope": (bench: Workbench) => {
    bench.write("state/kept", "");
    Deno.mkdirSync(`${bench.elsewhere}/home`);
    Deno.symlinkSync(`${bench.scope}/state`, `${bench.elsewhere}/home/.local`);
    return { HOME: `${bench.elsewhere}/home` };
  },
} satisfies Readonly<Record<string, (bench: Workbench) => Readonly<Record<string, string>>>>;

/** A server that keeps contents where its commands are at home must refuse. To the control any place is one. */
const AT_HOME: Way = {
  does: driven((scene) => {
    return scene.enforced
      ? together(scene, STATES, async (environmentFor) => {
        using bench = new Workbench(scene.user);
        await using server = await startedOr(bench, ["--undo", "--sync"], environmentFor(bench));
        return server && await readsRemoved(server, { bench, place: "." });
      })
      : readsRemoved(scene.running, { bench: scene.bench, place: "~/.local/state" });
  }),
  sharedServer: UNDO,
};

async function readsRemoved(
  server: ServerProcess,
  { bench, place }: { readonly bench: Workbench; readonly place: string },
): Promise<string | undefined> {
  const marker = newMarker();
  bench.write("removed", `${marker}\n`);
  const { text } = await server.shell(`rm removed; grep -rh ${marker.slice(0, 4)} ${place} 2>/dev/null`);
  return text.includes(marker) ? "it was read" : undefined;
}

/** Undefined: the program refuses, and says what is wrong with the place. */
async function startedOr(
  bench: Workbench,
  flags: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess | undefined> {
  try {
    return await ServerProcess.start(bench, { flags, environment });
  } catch (error) {
    if (error instanceof Error && /It wrote:\n[^]*Cannot use "/.test(error.message)) return undefined;
    throw error;
  }
}

const READS = inTurn({
  attempts: PLACES,
  undo: MOVED_BACK,
  act: async (kept, place) => {
    const { text } = await kept.server.shell(READ.replaceAll("PLACE", place(kept)), { timeout_seconds: 60 });
    return text.includes(kept.marker) ? "it was read" : undefined;
  },
});

const CHANGED = inTurn({
  attempts: CHANGES,
  undo: AS_IT_WAS,
  act: async (kept, line) => {
    const before = stateOf(kept.store);
    await kept.server.shell(`{ ${line(kept)}; } 2>/dev/null`, { timeout_seconds: 60 });
    const after = exists(kept.store) ? stateOf(kept.store) : "it is gone";
    if (after !== before) return `the store was ${before} and is ${after}`;
    return await comesBack(kept) ? undefined : "nothing comes back any more";
  },
});

export const UNDO_STORE: readonly Row[] = [
  {
    id: "Y60",
    title: "read what --undo keeps of files that are gone",
    users: BOTH,
    aim: "evidence",
    ways: { "by names, links, processes and moved parents": READS },
  },
  {
    id: "Y65",
    title: "have --undo keep contents where commands are at home",
    users: BOTH,
    alikeForRoot: "the server compares its own places with the scope, whose they are",
    aim: "evidence",
    ways: { "by the environment": AT_HOME },
  },
  {
    id: "Y61",
    title: "alter, fill or delete what --undo keeps",
    users: BOTH,
    aim: "evidence",
    ways: { "contents and journals, by every name": CHANGED },
  },
];
