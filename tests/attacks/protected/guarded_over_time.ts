/** Guarded paths that one command moves or makes, and another, or a person's git, comes to afterwards. */
import type { Way } from "../frame/attack.ts";
import { newMarker } from "../frame/post.ts";
import { withLines } from "../means/lines.ts";
import { driven, together } from "../frame/stage.ts";

/** Flags that make home a scope; places of credentials in it are covered. */
const HOME_AS_SCOPE = ["--allow-broad-scope", "--sandbox-scope"] as const;

interface Covered {
  /** A path below home. */
  readonly secret: string;
  readonly lines: readonly string[];
}

/** Whether one of the lines, which run one after the other, shows what is in the secret. */
const COVERED: Readonly<Record<string, Covered>> = {
  "the directory on the way renamed": {
    secret: ".config/gh/hosts.yml",
    lines: ["mv .config moved", "cat moved/gh/hosts.yml"],
  },
  "two directories up": {
    secret: ".local/share/keyrings/login",
    lines: ["mv .local more", "cat more/share/keyrings/*"],
  },
  "protected as well": { secret: ".ssh/id", lines: ["cat .ssh/id"] },
};

/** X08: what is covered stays covered under another name. */
export const MOVED_CREDENTIALS: Readonly<Record<string, Way>> = {
  "directories on the way renamed, and protected as well": {
    does: driven((scene) => {
      const marker = newMarker();
      return withLines(scene, {
        prepare: (bench) => {
          for (const { secret } of Object.values(COVERED)) bench.write(`${bench.home}/${secret}`, `${marker}\n`);
        },
        flags: ({ home }) => [...HOME_AS_SCOPE, home, "--protect", ".ssh"],
      }, (shell, bench) =>
        together(scene, COVERED, async ({ secret, lines }) => {
          for (const line of lines) {
            const { text } = await shell.run(line, bench.home);
            if (text.includes(marker)) return `"${line}" shows what is in "${secret}"`;
          }
          return undefined;
        }));
    }),
  },
};

interface Obeyed {
  /** Lines are added to these files, which are in the project before; none is to get there. */
  readonly paths: readonly string[];
  /** What stands around them, by name. */
  readonly around?: Readonly<Record<string, string>>;
  /** Whether there are more repositories than a project has. */
  readonly decoys?: true;
  /** The scope, in the project; absent: the project. */
  readonly scope?: string;
}

function adds({ paths, around = {}, decoys, scope = "." }: Obeyed): Way {
  const files = Object.fromEntries(paths.map((path) => [path, "as it was\n"]));
  return {
    does: driven((scene) =>
      withLines(scene, {
        prepare: (bench) => {
          // Whose they are is alike for the search.
          const isTiring = decoys === true && scene.enforced && !(scene.brief && scene.user === "root");
          const all = { ...around, ...isTiring && decoysOf(scene.brief ? 160 : 600), ...files };
          for (const [name, text] of Object.entries(all)) bench.write(name, text);
        },
        flags: () => ["--sandbox-scope", scope],
      }, async (shell, bench) => {
        await shell.run(paths.map((path) => `echo evil >> ${bench.scope}/${path}`).join("; "));
        return await together(scene, Object.fromEntries(paths.map((path) => [path, path])), async (path) => {
          const now = await Deno.readTextFile(`${bench.scope}/${path}`);
          return now.includes("evil") ? "it is changed" : undefined;
        });
      })
    ),
  };
}

const HEAD = "ref: refs/heads/main\n";

/** By what git recognizes a repository's own directory. */
function own(directory: string): Readonly<Record<string, string>> {
  return Object.fromEntries(["HEAD", "objects/x", "refs/x"].map((name) => [`${directory}/${name}`, HEAD]));
}

/** More repositories and directories than a project has, made by an earlier command to tire the search. */
function decoysOf(length: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from({ length }, (_, index) => [index < 60 ? `d${index}/.git/HEAD` : `d${index}/x`, HEAD]),
  );
}

/** X09: repositories that are not the scope's own. */
export const OTHER_REPOSITORIES: Readonly<Record<string, Way>> = {
  "below, hooks elsewhere, a submodule whose name is a path, a bare one, a linked worktree, one among many": adds({
    paths: [
      "libs/a/.git/config",
      "libs/b/.githooks/pre-commit",
      ".git/modules/libs/a/hooks/pre-commit",
      "a.git/hooks/update",
      ".git/worktrees/w/commondir",
      "zz/a/.git/hooks/pre-commit",
    ],
    around: {
      "libs/b/.git/config": "[core]\n\thooksPath = .githooks # ours\n",
      ...own(".git/modules/libs/a"),
      ...own("a.git"),
    },
    decoys: true,
  }),
  "a writable tree that is one": adds({ paths: ["a.git/config"], around: own("a.git"), scope: "a.git" }),
};
