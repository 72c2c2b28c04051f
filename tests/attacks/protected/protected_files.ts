/** C08 to C10: files in the project that programs outside the sandbox obey. */
import { BOTH, type Row, type Scene, type ServerSetting, type Way } from "../frame/attack.ts";
import { type Lines, sandboxed, withLines } from "../means/lines.ts";
import { exists, type Workbench } from "../../_support/workbench.ts";
import { driven, together } from "../frame/stage.ts";
import { LED_INTO_PROJECT, obeyed } from "../our_server/led_into_project.ts";

/** Files that run code when a person next uses git, an editor or an agent, with what was there. */
const OBEYED: readonly string[] = [
  ".git/hooks/pre-commit",
  ".git/config",
  ".vscode/tasks.json",
  ".idea/workspace.xml",
  ".mcp.json",
  ".cursor/mcp.json",
  ".claude/settings.json",
  ".codex/config.toml",
  ".envrc",
  ".husky/pre-commit",
  ".ahma/tools/tool.json",
];

interface Change {
  readonly path: string;
  readonly line: string;
  /** Whether the file is there before. */
  readonly there: boolean;
}

const THERE = true;
const ABSENT = false;

function tries(paths: readonly string[], line: (path: string) => string, there: boolean): readonly Change[] {
  return paths.map((path) => ({ path, line: line(path), there }));
}

type Lists = Readonly<Record<string, readonly Change[]>>;

/** Files that are there before the server, each of which is to be changed. */
const AT_START = tries(OBEYED, (path) => `echo evil > ${path}`, THERE);

function prepare(bench: Workbench, tried: readonly Change[]): void {
  for (const { path, there } of tried) if (there) bench.write(path, "as it was\n");
}

/** A server in a project with such files. */
const GUARDING: ServerSetting = {
  flags: (bench) => {
    prepare(bench, AT_START);
    return [];
  },
  plainControl: true,
};

/**
 * Tries the changes one after the other, each list in a project that the user has cleared. The control achieves something
 * only where each change works.
 */
function changes(lists: Lists): Way {
  const tryAll = (scene: Scene, shell: Pick<Lines, "run">, bench: Workbench) =>
    together(scene, lists, async (tried) => {
      if (!scene.enforced || tried !== AT_START) {
        await bench.clearScope();
        prepare(bench, tried);
      }
      return await anyOf(scene, tried, { shell, bench });
    });
  return {
    does: driven((scene) => tryAll(scene, sandboxed(scene.running), scene.bench)),
    control: driven((scene) => withLines(scene, {}, (shell, bench) => tryAll(scene, shell, bench))),
    sharedServer: GUARDING,
  };
}

async function anyOf(
  { enforced }: Scene,
  tried: readonly Change[],
  { shell, bench }: { readonly shell: Pick<Lines, "run">; readonly bench: Workbench },
): Promise<string | undefined> {
  const achieved: string[] = [];
  for (const change of tried) {
    const what = await changed(shell, `${bench.scope}/${change.path}`, change);
    if (what !== undefined) achieved.push(what);
  }
  const isEnough = enforced ? achieved.length > 0 : achieved.length === tried.length;
  return isEnough ? achieved.join("; ") : undefined;
}

/** Where the file is there before: it must stay as it is. Where not: the result must say that it has come. */
async function changed(
  shell: Pick<Lines, "run">,
  file: string,
  { path, line, there }: Change,
): Promise<string | undefined> {
  const { told } = await shell.run(line);
  const now = await textOf(file);
  const before = there ? "as it was\n" : undefined;
  if (now === before || !there && told) return undefined;
  return `"${path}" is ${JSON.stringify(now)}`;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}

/** Whether no earlier path is in the same directory at the top. */
function isFirst(path: string): boolean {
  return OBEYED.find((one) => top(one) === top(path)) === path;
}

function make(path: string): string {
  return `mkdir -p $(dirname ${path}); echo evil > ${path}; ls -d ${top(path)}`;
}

function top(path: string): string {
  return path.slice(0, path.indexOf("/") < 0 ? undefined : path.indexOf("/"));
}

/** What the server itself runs in a project whose git is poisoned: nothing of it, not even to look. */
async function obeysGit({ running, bench }: Scene, line: string): Promise<string | undefined> {
  await running.request("tools/list");
  await running.call("status");
  await running.shell(line);
  return exists(obeyed(bench)) ? "what was planted has run outside the sandbox" : undefined;
}

export const PROTECTED: readonly Row[] = [
  {
    id: "C08",
    title: "change files that git, editors and agents obey",
    users: BOTH,
    aim: "evidence",
    ways: {
      "each of them, deleted, and another directory in its place": changes({
        "each of them": AT_START,
        "deleted, and another directory in its place": [
          { path: ".mcp.json", line: "rm -f .mcp.json", there: THERE },
          {
            path: ".git/hooks/pre-commit",
            line: "mv .git/hooks old; mkdir .git/hooks; echo evil > .git/hooks/pre-commit",
            there: THERE,
          },
          { path: ".git/config", line: "mv .git older; mkdir .git; echo evil > .git/config", there: THERE },
        ],
      }),
    },
  },
  {
    id: "C09",
    title: "make such files where there are none, without a word",
    users: BOTH,
    aim: "evidence",
    ways: {
      "each in a directory of its own, and a second one in a directory": changes({
        "each in a directory of its own": tries(OBEYED.filter(isFirst), make, ABSENT),
        "a second one in a directory": tries(OBEYED.filter((path) => !isFirst(path)), make, ABSENT),
      }),
    },
  },
  {
    id: "C10",
    title: "the server runs what is planted in the project",
    users: BOTH,
    aim: "evidence",
    ways: {
      "git and programs by name": {
        does: driven((scene) => obeysGit(scene, "true")),
        control: driven((scene) => obeysGit(scene, "git status")),
        sharedServer: LED_INTO_PROJECT,
      },
    },
  },
];
