/** X30, X31: protected files that are changed by a second name (hard link) or by what a link leads to. */
import type { Workbench } from "../_support/workbench.ts";
import { BOTH, type Row, type Scene, type Way } from "./attack.ts";
import { withLines } from "./lines.ts";
import { driven } from "./stage.ts";

export interface Unheard {
  /** What programs outside obey, seen from the scope. */
  readonly path: string;
  /** Commands, one after the other; the last tries to write "evil" into it. */
  readonly lines: readonly string[];
  /** Where the commands run; absent: the scope. */
  readonly directory?: (bench: Workbench) => string;
  readonly prepare?: (bench: Workbench) => void;
  readonly flags?: (bench: Workbench) => readonly string[];
  /** A command that is started before and goes on running. */
  readonly first?: string;
  /** What the user does before the last line. */
  readonly user?: (bench: Workbench) => void;
  /** The last line makes the file, which cannot be denied: it is to be told. */
  readonly made?: true;
}

/** Whether the last line changes the path, or one before it changes it without a word. */
export async function unheard(
  scene: Scene,
  { path, lines, directory, prepare, flags, first, user, made }: Unheard,
): Promise<string | undefined> {
  return await withLines(scene, {
    prepare: (bench) => {
      bench.write("plain", "as it was\n");
      prepare?.(bench);
    },
    ...flags === undefined ? {} : { flags },
  }, async (shell, bench) => {
    if (first !== undefined) await shell.start(first);
    for (const [index, line] of lines.entries()) {
      const isLast = index === lines.length - 1;
      if (isLast) user?.(bench);
      const before = textAt(`${bench.scope}/${path}`);
      const { told } = await shell.run(line, directory?.(bench));
      const now = textAt(`${bench.scope}/${path}`);
      if (now === before) continue;
      if (isLast && made === undefined && now?.includes("evil") === true) return `"${path}" is ${JSON.stringify(now)}`;
      if (!told) return `"${line}" changed "${path}", and no result told of it`;
    }
    return undefined;
  });
}

function textAt(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}

/** A file with the second name `keep`, both there before the server. */
function linkedBefore(path: string): (bench: Workbench) => void {
  return (bench) => Deno.linkSync(bench.write(path, "as it was\n"), `${bench.scope}/keep`);
}

const EVIL = "echo evil >> keep";

/** A command that has run since before there was anything to protect gives a name to what is protected by now. */
const LONG_RUNNING: Unheard = {
  path: ".git/hooks/pre-commit",
  first: "echo > started; read x < go; ln .git/hooks/pre-commit keep; echo > ready; read x < end",
  prepare: ({ scope }) => void new Deno.Command("mkfifo", { args: pipes(scope) }).outputSync(),
  lines: ["read x < started; git init -q . && echo ours > .git/hooks/pre-commit", "echo > go; read x < ready", EVIL],
};

function pipes(scope: string): string[] {
  return ["-m", "666", ...["started", "go", "ready", "end"].map((name) => `${scope}/${name}`)];
}

const SECOND_NAMES: Readonly<Record<string, Unheard>> = {
  "an agent's servers, before": { path: ".mcp.json", prepare: linkedBefore(".mcp.json"), lines: [EVIL] },
  "git's configuration, before": { path: ".git/config", prepare: linkedBefore(".git/config"), lines: ["true", EVIL] },
  "a hook, before": { path: ".git/hooks/pre-commit", prepare: linkedBefore(".git/hooks/pre-commit"), lines: [EVIL] },
  "deep in a directory, before": { path: ".husky/_/h", prepare: linkedBefore(".husky/_/h"), lines: [EVIL] },
  "a tool, before": { path: ".ahma/tools/tool.json", prepare: linkedBefore(".ahma/tools/tool.json"), lines: [EVIL] },
  "settings, before": { path: ".ahma/settings.json", prepare: linkedBefore(".ahma/settings.json"), lines: [EVIL] },
  "--protect": { path: "ci/run", prepare: linkedBefore("ci/run"), flags: () => ["--protect", "ci/run"], lines: [EVIL] },
  "made with git init": { path: ".git/config", lines: ["git init -q . && ln .git/config keep", EVIL] },
  "a hook made with git init": {
    path: ".git/hooks/pre-commit",
    lines: ["git init -q . && echo ours > .git/hooks/pre-commit && ln .git/hooks/pre-commit keep", EVIL],
  },
  "made from the other end": { path: ".mcp.json", lines: ["echo ours > keep && ln keep .mcp.json", EVIL] },
  "many of them": {
    path: ".claude/299",
    lines: [
      "mkdir .claude keeps && for i in $(seq 299); do echo ours > .claude/$i; ln .claude/$i keeps/$i; done",
      "true",
      "echo evil >> keeps/299",
    ],
  },
  "made by what a command leaves running": {
    path: ".git/hooks/pre-commit",
    lines: [
      "git init -q . && echo ours > .git/hooks/pre-commit && " +
      "{ setsid sh -c 'kill -STOP $$; ln .git/hooks/pre-commit keep' >/dev/null 2>&1 & } && " +
      "until grep -q 'State:.T' /proc/$!/status; do :; done; kill -CONT $!",
      "test -e keep || ln plain keep",
      EVIL,
    ],
  },
  "made by a command that has run since before": LONG_RUNNING,
};

const LINKS: Readonly<Record<string, Unheard>> = {
  "made by a command": {
    path: ".vscode/tasks.json",
    lines: ["mkdir vs && echo ours > vs/tasks.json && ln -s vs .vscode", "echo evil > vs/tasks.json"],
  },
  "a chain of them": {
    path: ".vscode/tasks.json",
    lines: ["mkdir vs && echo ours > vs/tasks.json && ln -s vs a && ln -s a .vscode", "echo evil > vs/tasks.json"],
  },
  "one on the way exchanged": {
    path: ".vscode/tasks.json",
    lines: [
      "mkdir -p b/vs o/vs && echo ours > b/vs/tasks.json && echo evil > o/vs/tasks.json && ln -s b a && ln -s a/vs .vscode",
      "rm a; ln -s o a",
    ],
  },
  "to a directory that is exchanged": {
    path: ".vscode/tasks.json",
    lines: [
      "mkdir -p b/vs o/vs && echo ours > b/vs/tasks.json && echo evil > o/vs/tasks.json && ln -s b/vs .vscode",
      "mv b x; mv o b",
    ],
  },
  "to a file": { path: ".mcp.json", lines: ["echo ours > m && ln -s m .mcp.json", "echo evil > m"] },
  "to the directory of git": {
    path: ".git/config",
    lines: ["git init -q . && mv .git g && ln -s g .git", "echo evil >> g/config"],
  },
  "to hooks in the project": {
    path: ".git/hooks/pre-commit",
    lines: [
      "mkdir githooks && echo ours > githooks/pre-commit && git init -q . && rm -r .git/hooks && ln -s ../githooks .git/hooks",
      "echo evil > githooks/pre-commit",
    ],
  },
  "of one hook": {
    path: ".git/hooks/pre-commit",
    lines: [
      "echo ours > h && git init -q . && ln -s ../../h .git/hooks/pre-commit",
      "echo evil > h",
    ],
  },
  "there before, replaced": {
    path: ".claude/settings.json",
    prepare: (bench) => {
      bench.write("dot/settings.json", "as it was\n");
      Deno.symlinkSync("dot", `${bench.scope}/.claude`);
    },
    lines: ["true", "rm .claude; mkdir .claude; echo evil > .claude/settings.json"],
  },
  "tools there before, replaced": {
    path: ".ahma/tools/tool.json",
    prepare: (bench) => {
      bench.write("conf/tools/tool.json", "{}\n");
      Deno.symlinkSync("conf", `${bench.scope}/.ahma`);
    },
    lines: ["true", "rm .ahma; mkdir -p .ahma/tools; echo evil > .ahma/tools/tool.json"],
  },
  "to a name that is no text": {
    path: ".mcp.json",
    lines: ["echo ours > $'m\\xff' && ln -s $'m\\xff' .mcp.json", "echo evil > $'m\\xff'"],
  },
};

/** One for each name. */
export function waysOf(of: Readonly<Record<string, Unheard>>): Readonly<Record<string, Way>> {
  return Object.fromEntries(
    Object.entries(of).map(([name, one]) => [name, { does: driven((scene) => unheard(scene, one)) }]),
  );
}

export const OTHER_NAMES: readonly Row[] = [
  {
    id: "X30",
    title: "change protected files by a second name (hard link), without a word",
    users: BOTH,
    alikeForRoot: "what protects a file is the same for every user; root tries it in X09",
    aim: "evidence",
    ways: waysOf(SECOND_NAMES),
  },
  {
    id: "X31",
    title: "change what protected links lead to, or the links, without a word",
    users: BOTH,
    alikeForRoot: "what protects a file is the same for every user; root tries it in X09",
    aim: "evidence",
    ways: waysOf(LINKS),
  },
];
