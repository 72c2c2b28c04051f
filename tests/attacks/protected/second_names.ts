/** X30, X31: protected files that are changed by a second name (hard link) or by what a link leads to. */
import type { Workbench } from "../../_support/workbench.ts";
import { BOTH, type Row, type Scene, type Way } from "../frame/attack.ts";
import { type Lines, withLines } from "../means/lines.ts";
import { driven, together } from "../frame/stage.ts";

export interface Unheard {
  /** What programs outside obey, seen from the scope; the control changes each of them. */
  readonly paths: readonly string[];
  /** Commands, one after the other; some try to write "evil" into a path. */
  readonly lines: readonly string[];
  readonly prepare?: (bench: Workbench) => void;
  /** A command that is started before and goes on running. */
  readonly first?: string;
  /** What the user does before the last line. */
  readonly user?: (bench: Workbench) => void;
  /** Those of `paths` that lines make with "evil" in them, which cannot be denied: it is to be told. */
  readonly made?: readonly string[];
}

type Flags = (bench: Workbench) => readonly string[];

/** The attempts in one project, which the user clears after each; the first is prepared before the server starts. */
async function unheard(
  scene: Scene,
  of: Readonly<Record<string, Unheard>>,
  flags: Flags,
): Promise<string | undefined> {
  const [first] = Object.values(of);
  const prepare = (bench: Workbench, one: Unheard | undefined) => {
    bench.write("plain", "as it was\n");
    one?.prepare?.(bench);
  };
  return await withLines(
    scene,
    { prepare: (bench) => prepare(bench, first), flags },
    (shell, bench) =>
      together(scene, of, async (one) => {
        if (one !== first) {
          await bench.clearScope();
          prepare(bench, one);
        }
        return await changes(scene, one, { shell, bench });
      }),
  );
}

/** Whether a line gets "evil" into a path, or changes one without a word. */
async function changes(
  scene: Scene,
  { paths, lines, first, user, made = [] }: Unheard,
  { shell, bench }: { readonly shell: Lines; readonly bench: Workbench },
): Promise<string | undefined> {
  const changed = new Map<string, string>();
  if (first !== undefined) await shell.start(first);
  for (const [index, line] of lines.entries()) {
    if (index === lines.length - 1) user?.(bench);
    const before = paths.map((path) => textAt(`${bench.scope}/${path}`));
    const { told } = await shell.run(line);
    for (const [at, path] of paths.entries()) {
      const now = textAt(`${bench.scope}/${path}`);
      if (now === before[at]) continue;
      if (!made.includes(path) && now?.includes("evil") === true) changed.set(path, `is ${JSON.stringify(now)}`);
      else if (!told) changed.set(path, `was changed by "${line}", and no result told of it`);
    }
  }
  return await together(scene, Object.fromEntries(paths.map((path) => [path, path])), (path) => {
    return Promise.resolve(changed.get(path));
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

/** Files that are there before the server, by their second names. */
const LINKED_BEFORE: Readonly<Record<string, string>> = {
  "keep-servers": ".mcp.json",
  "keep-config": ".git/config",
  "keep-hook": ".git/hooks/pre-commit",
  "keep-deep": ".husky/_/h",
  "keep-tool": ".ahma/tools/tool.json",
  "keep-settings": ".ahma/settings.json",
  "keep-ci": "ci/run",
};

/** A command that has run since before there was anything to protect gives a name to what is protected by now. */
const LONG_RUNNING: Unheard = {
  paths: [".git/hooks/pre-commit"],
  first: "echo > started; read x < go; ln .git/hooks/pre-commit keep; echo > ready; read x < end",
  prepare: ({ scope }) => void new Deno.Command("mkfifo", { args: pipes(scope) }).outputSync(),
  lines: [
    "read x < started; git init -q . && echo ours > .git/hooks/pre-commit",
    "echo > go; read x < ready",
    "echo evil >> keep",
  ],
};

function pipes(scope: string): string[] {
  return ["-m", "666", ...["started", "go", "ready", "end"].map((name) => `${scope}/${name}`)];
}

/** Of several names each is tried, whatever comes of another. */
function evilInto(names: readonly string[]): string {
  return names.map((name) => `echo evil >> ${name}`).join("; ");
}

const SECOND_NAMES: Readonly<Record<string, Unheard>> = {
  "before, in the first command and a later one": {
    paths: Object.values(LINKED_BEFORE),
    prepare: (bench) => {
      for (const [name, path] of Object.entries(LINKED_BEFORE)) {
        Deno.linkSync(bench.write(path, "as it was\n"), `${bench.scope}/${name}`);
      }
    },
    lines: [evilInto(Object.keys(LINKED_BEFORE)), evilInto(Object.keys(LINKED_BEFORE))],
  },
  "made with git init, from the other end, and many of them": {
    paths: [".git/config", ".git/hooks/pre-commit", ".mcp.json", ".claude/299"],
    lines: [
      "git init -q . && ln .git/config keep && echo ours > .git/hooks/pre-commit && ln .git/hooks/pre-commit hook",
      evilInto(["keep", "hook"]),
      "echo ours > servers && ln servers .mcp.json",
      evilInto(["servers"]),
      "mkdir .claude keeps && for i in $(seq 299); do echo ours > .claude/$i; done; cp -l .claude/* keeps",
      "true",
      evilInto(["keeps/299"]),
    ],
  },
  "made by what a command leaves running": {
    paths: [".git/hooks/pre-commit"],
    lines: [
      "git init -q . && echo ours > .git/hooks/pre-commit && " +
      "{ setsid sh -c 'kill -STOP $$; ln .git/hooks/pre-commit keep' >/dev/null 2>&1 & } && " +
      "until grep -q 'State:.T' /proc/$!/status; do :; done; kill -CONT $!",
      "test -e keep || ln plain keep",
      "echo evil >> keep",
    ],
  },
  // The command runs to the end of the server.
  "made by a command that has run since before": LONG_RUNNING,
};

/** There before the server: what the links lead to, by the name of the link. */
const LED_BEFORE: Readonly<Record<string, string>> = { ".claude": "dot", ".ahma": "conf" };

const LINKS: Readonly<Record<string, Unheard>> = {
  "made by commands: one, a chain, one on the way or their end exchanged, to a file, to git's directory; there before":
    {
      paths: [
        ".vscode/tasks.json",
        ".idea/workspace.xml",
        ".husky/pre-commit",
        ".cursor/mcp.json",
        ".mcp.json",
        ".git/config",
        ".claude/settings.json",
        ".ahma/tools/tool.json",
      ],
      prepare: (bench) => {
        bench.write("dot/settings.json", "as it was\n");
        bench.write("conf/tools/tool.json", "{}\n");
        for (const [name, to] of Object.entries(LED_BEFORE)) Deno.symlinkSync(to, `${bench.scope}/${name}`);
      },
      lines: [
        "mkdir vs && echo ours > vs/tasks.json && ln -s vs .vscode",
        "echo evil > vs/tasks.json",
        "mkdir id && echo ours > id/workspace.xml && ln -s id a && ln -s a .idea",
        "echo evil > id/workspace.xml",
        "mkdir -p b/h o/h && echo ours > b/h/pre-commit && echo evil > o/h/pre-commit && ln -s b w && ln -s w/h .husky",
        "rm w; ln -s o w",
        "mkdir -p c/cu e/cu && echo ours > c/cu/mcp.json && echo evil > e/cu/mcp.json && ln -s c/cu .cursor",
        "mv c x; mv e c",
        "echo ours > m && ln -s m .mcp.json",
        "echo evil > m",
        "git init -q . && mv .git g && ln -s g .git",
        "echo evil >> g/config",
        "rm .claude; mkdir .claude; echo evil > .claude/settings.json",
        "rm .ahma; mkdir -p .ahma/tools; echo evil > .ahma/tools/tool.json",
      ],
    },
  "to hooks in the project, to a name that is no text, of one hook": {
    paths: [".git/hooks/pre-commit", ".mcp.json", "part/.git/hooks/pre-commit"],
    lines: [
      "mkdir githooks && echo ours > githooks/pre-commit && git init -q . && rm -r .git/hooks && ln -s ../githooks .git/hooks",
      "echo evil > githooks/pre-commit",
      "echo ours > $'m\\xff' && ln -s $'m\\xff' .mcp.json",
      "echo evil > $'m\\xff'",
      "echo ours > h && git init -q part && mkdir -p part/.git/hooks && ln -s ../../../h part/.git/hooks/pre-commit",
      "echo evil > h",
    ],
  },
};

/** One way, at one server with these flags. What needs to be there before a server comes first. */
export function wayOf(of: Readonly<Record<string, Unheard>>, flags: Flags = () => []): Readonly<Record<string, Way>> {
  return { [Object.keys(of).join("; ")]: { does: driven((scene) => unheard(scene, of, flags)) } };
}

export const OTHER_NAMES: readonly Row[] = [
  {
    id: "X30",
    title: "change protected files by a second name (hard link), without a word",
    users: BOTH,
    alikeForRoot: "what protects a file is the same for every user; root tries it in X09",
    aim: "evidence",
    ways: wayOf(SECOND_NAMES, () => ["--protect", "ci/run"]),
  },
  {
    id: "X31",
    title: "change what protected links lead to, or the links, without a word",
    users: BOTH,
    alikeForRoot: "what protects a file is the same for every user; root tries it in X09",
    aim: "evidence",
    ways: wayOf(LINKS),
  },
];
