/** Guarded paths that one command moves or makes, and another, or a person's git, comes to afterwards. */
import type { Scene, Way } from "./attack.ts";
import { newMarker } from "./post.ts";
import { withLines } from "./lines.ts";
import { driven } from "./stage.ts";

/** Flags that make home a scope; places of credentials in it are covered. */
const HOME_AS_SCOPE = ["--allow-broad-scope", "--sandbox-scope"] as const;

/** Runs the lines one after the other and says whether one of them showed what is in `secret`, a path below home. */
async function reads(
  scene: Scene,
  { secret, lines, flags = [] }: {
    readonly secret: string;
    readonly lines: readonly string[];
    readonly flags?: readonly string[];
  },
): Promise<string | undefined> {
  const marker = newMarker();
  return await withLines(scene, {
    prepare: (bench) => void bench.write(`${bench.home}/${secret}`, `${marker}\n`),
    flags: (bench) => [...HOME_AS_SCOPE, bench.home, ...flags],
  }, async (shell, bench) => {
    for (const line of lines) {
      const { text } = await shell.run(line, bench.home);
      if (text.includes(marker)) return `"${line}" shows what is in "${secret}"`;
    }
    return undefined;
  });
}

/** X08: what is covered stays covered under another name. */
export const MOVED_CREDENTIALS: Readonly<Record<string, Way>> = {
  "the directory on the way renamed": {
    does: driven((scene) =>
      reads(scene, { secret: ".config/gh/hosts.yml", lines: ["mv .config moved", "cat moved/gh/hosts.yml"] })
    ),
  },
  "two directories up": {
    does: driven((scene) =>
      reads(scene, { secret: ".local/share/keyrings/login", lines: ["mv .local moved", "cat moved/share/keyrings/*"] })
    ),
  },
  "protected as well": {
    does: driven((scene) => reads(scene, { secret: ".ssh/id", lines: ["cat .ssh/id"], flags: ["--protect", ".ssh"] })),
  },
};

/** Adds a line to a file that is in the project before; the line is not to get there. */
async function adds(scene: Scene, { path, beside = {}, scope = "." }: Obeyed): Promise<string | undefined> {
  return await withLines(scene, {
    prepare: (bench) => {
      for (const [name, text] of Object.entries({ ...beside, [path]: "as it was\n" })) bench.write(name, text);
    },
    flags: () => ["--sandbox-scope", scope],
  }, async (shell, bench) => {
    await shell.run(`echo evil >> ${bench.scope}/${path}`);
    const now = await Deno.readTextFile(`${bench.scope}/${path}`);
    return now.includes("evil") ? `"${path}" is changed` : undefined;
  });
}

interface Obeyed {
  readonly path: string;
  /** What stands around it, by name. */
  readonly beside?: Readonly<Record<string, string>>;
  /** The scope, in the project; absent: the project. */
  readonly scope?: string;
}

const HEAD = "ref: refs/heads/main\n";

/** By what git recognizes a repository's own directory. */
function own(directory: string): Readonly<Record<string, string>> {
  return Object.fromEntries(["HEAD", "objects/x", "refs/x"].map((name) => [`${directory}/${name}`, HEAD]));
}

/** More repositories and directories than a project has, made by an earlier command to tire the search. */
const DECOYS = Object.fromEntries(
  Array.from({ length: 600 }, (_, index) => [index < 60 ? `d${index}/.git/HEAD` : `d${index}/x`, HEAD]),
);

/** X09: repositories that are not the scope's own. */
export const OTHER_REPOSITORIES: Readonly<Record<string, Way>> = {
  "one below": { does: driven((scene) => adds(scene, { path: "libs/a/.git/config" })) },
  "its hooks elsewhere": {
    does: driven((scene) =>
      adds(scene, {
        path: "libs/a/.githooks/pre-commit",
        beside: { "libs/a/.git/config": "[core]\n\thooksPath = .githooks # ours\n" },
      })
    ),
  },
  "a submodule whose name is a path": {
    does: driven((scene) =>
      adds(scene, { path: ".git/modules/libs/a/hooks/pre-commit", beside: own(".git/modules/libs/a") })
    ),
  },
  "a bare one": {
    does: driven((scene) => adds(scene, { path: "a.git/hooks/update", beside: own("a.git") })),
  },
  "a writable tree that is one": {
    does: driven((scene) => adds(scene, { path: "a.git/config", beside: own("a.git"), scope: "a.git" })),
  },
  "a linked worktree elsewhere": { does: driven((scene) => adds(scene, { path: ".git/worktrees/w/commondir" })) },
  "one among many": {
    does: driven((scene) => adds(scene, { path: "zz/a/.git/hooks/pre-commit", beside: DECOYS })),
  },
};
