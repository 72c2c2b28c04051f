/**
 * Files that programs outside obey: hooks and configuration of git, editors, agents, and our own (S8). A command that
 * writes one could later run anything as the user. What exists is mounted read-only. What does not cannot be denied: no
 * mount and no rule of Landlock is for a name, a placeholder would be read and committed, and editors make such files
 * themselves. So a new path is reported, and is read-only from the next command on.
 */
import { words } from "../../base/text.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { SandboxSettings } from "../policy/sandbox_settings.ts";
import { namedByGitConfiguration } from "./git_hook_paths.ts";
import type { FoundRepositories } from "./nested_repositories.ts";
import { expected, isWithin, normalPath, realPath } from "../../system/paths.ts";

/**
 * In a repository's own directory. `commondir` leads git elsewhere for its configuration and hooks. The last two are
 * old-style remotes, to which git pushes by itself if its configuration names none.
 */
const REPOSITORY_NAMES = [
  "hooks",
  "config",
  "config.worktree",
  "commondir",
  "remotes/origin",
  "branches/origin",
] as const;

/** In the directory of a linked worktree, which has the hooks and the configuration of its repository. */
const WORKTREE_NAMES = ["config.worktree", "commondir"] as const;

/** In every writable tree, directories with all they hold. */
export const PROTECTED_NAMES = [
  ...REPOSITORY_NAMES.map((name) => `.git/${name}`),
  ...words(
    // Where `.git` is a file it leads git elsewhere too.
    ".git .vscode .idea .mcp.json .cursor .claude .codex .envrc .husky .ahma",
    // Servers, hooks and tasks that other agents and editors start by themselves.
    ".amazonq .continue .devcontainer .devcontainer.json .gemini .kiro .opencode .qwen .roo .vibe .windsurf .zed",
    "fast-agent.yaml opencode.json",
    ".aider.conf.yml .clinerules .crush.json crush.json .factory .github/copilot .github/hooks .junie .kilocode",
    ".openhands .trae .swissarmyhammer/prompts",
    ".swissarmyhammer/rules .swissarmyhammer/workflows .sah/prompts .sah/rules .sah/workflows",
    // What editors and tool managers run when a directory is opened or entered, and git by hooks that lead to it.
    ".dir-locals.el .dir-locals-2.el .exrc .helix .nvim.lua .nvimrc .vim",
    ".config/mise .config/mise.toml .config/mise.local.toml .mise .mise.toml .mise.local.toml mise.toml mise.local.toml",
    ".lefthook .lefthook-local lefthook.yml",
    // Hooks, and programs that are run by every command, of Mercurial and Jujutsu.
    ".hg/hgrc .hg/hgrc-not-shared .hg/sharedpath .jj/repo/config.toml",
  ),
];

/** Each is read, and one that is only the user's overrides the project's. */
const LEFTHOOK_NAMES = ["", ".", ".config/"].flatMap((before) =>
  ["lefthook", "lefthook-local"].flatMap((name) =>
    ["yml", "yaml", "toml", "json", "jsonc"].map((ending) => `${before}${name}.${ending}`)
  )
);
const NAMES_IN_TREE = [...new Set([...PROTECTED_NAMES, ...LEFTHOOK_NAMES])];

/** Our own directory holds tools, and these, which no program obeys: issues, memos, and what native tools note (K6). */
const OWN_DIRECTORY = ".ahma";
export const WRITABLE_IN_OWN = ["issues", "memos", "state"] as const;

/** Files with such an ending at the top of a tree when the server starts: an editor trusts those that it has opened before. */
const PROTECTED_ENDING = ".code-workspace";

/** Below home, as far as a writable tree holds them: home itself, or `~/.config`. */
export const HOME_NAMES = words(
  // Shells
  ".bash_aliases .bash_login .bash_logout .bash_profile .bashrc .config/fish .cshrc .inputrc .kshrc .login .logout",
  ".profile .tcshrc .zlogin .zlogout .zprofile .zshenv .zshrc",
  // Sessions and services
  ".config/autostart .config/environment.d .config/systemd .pam_environment .xinitrc .xprofile .xsession .xsessionrc",
  // Programs whose configuration starts others
  ".config/ahma .config/git .config/mise .config/nvim .config/tmux .emacs .emacs.d .gdbinit .gitconfig .screenrc",
  ".tmux.conf .vim .vimrc",
  // Agents and editors that keep the programs they start in the user's home
  ".config/Claude .config/zed .copilot",
);

/** A path to protect; it need not exist. */
export interface ProtectedPath {
  readonly path: string;
  /** The writable tree it lies in: every directory between them is kept from being renamed. */
  readonly tree: string;
  /** A directory there is not meant: `.git` is protected where it is a file that leads to a repository. */
  readonly fileOnly: boolean;
  /** A program that git's configuration names. In outputs of build tools a change is reported, not denied. */
  readonly program?: true;
  /** Names of directories in it that stay writable; absent: none. */
  readonly writable?: readonly string[];
}

export interface ProtectionQuestion extends Pick<SandboxSettings, "protect" | "allowProtected" | "own"> {
  /** Canonical trees commands can write to. */
  readonly trees: readonly string[];
  /** Canonical; undefined: unknown. */
  readonly home: string | undefined;
}

/** What to protect, or why it cannot be said. */
export function protectedPaths(question: ProtectionQuestion): Outcome<readonly ProtectedPath[]> {
  const all = question.trees.flatMap((tree) => inTree(tree, question));
  const problem = question.protect.map((given) => protectProblem(given, question.trees))
    .concat(question.allowProtected.map((given) => allowProblem(given, question.trees, all)))
    .find((found) => found !== undefined);
  if (problem !== undefined) return failure(problem);
  const open = openedPaths(question);
  const left = all.filter(({ path }) => !open.some((one) => isWithin(path, one)));
  return success(left);
}

/** Where a repository below a tree lies. `open`: paths that a person has opened; `home`: undefined where unknown. */
interface NestedIn {
  readonly tree: string;
  readonly open: readonly string[];
  readonly home: string | undefined;
}

/** The same of repositories that were found below a tree, but for what lies in `open`. */
export function nestedRepositoryPaths(
  { directories, bare, worktrees }: Omit<FoundRepositories, "complete" | "others">,
  { tree, open, home }: NestedIn,
): readonly ProtectedPath[] {
  const wanted = [
    ...directories.flatMap((directory) => [
      ...REPOSITORY_NAMES.map((name) => `${directory}/.git/${name}`),
      `${directory}/.git`,
      ...namedIn(directory, { tree, home }),
    ]),
    ...bare.flatMap((directory) => REPOSITORY_NAMES.map((name) => `${directory}/${name}`)),
    ...worktrees.flatMap((directory) => WORKTREE_NAMES.map((name) => `${directory}/${name}`)),
  ];
  return [...new Set(wanted)].filter((path) => !open.some((one) => isWithin(path, one)))
    .map((path) => ({ path, tree, fileOnly: path.endsWith("/.git") }));
}

/** What configuration makes git obey outside the `.git` of a repository that appeared after the start. */
export function madeRepositoryPaths(directory: string, where: NestedIn): readonly ProtectedPath[] {
  return namedIn(directory, where)
    .filter((path) => !isWithin(path, `${directory}/.git`) && !where.open.some((one) => isWithin(path, one)))
    .map((path) => ({ path, tree: where.tree, fileOnly: false }));
}

function namedIn(directory: string, { tree, home }: Omit<NestedIn, "open">): readonly string[] {
  return namedByGitConfiguration(directory, home).map(normalPath)
    .filter((path) => path !== directory && isWithin(path, tree));
}

/** `--allow-protected` as absolute paths. */
export function openedPaths(
  { allowProtected, trees }: Pick<ProtectionQuestion, "allowProtected" | "trees">,
): readonly string[] {
  return allowProtected.flatMap((given) => seenFrom(given, trees));
}

function inTree(tree: string, { home, protect, own }: ProtectionQuestion): readonly ProtectedPath[] {
  const below = (name: string) => `${tree === "/" ? "" : tree}/${name}`;
  const ofHome = home === undefined ? [] : HOME_NAMES.map((name) => `${home}/${name}`);
  const named = protect.flatMap((given) => seenFrom(given, [tree]));
  const ofGit = namedByGitConfiguration(tree, home);
  const inside = (path: string) => path !== tree && isWithin(path, tree);
  const workspaces = (expected(() => [...Deno.readDirSync(tree)]) ?? [])
    .flatMap(({ name }) => name.endsWith(PROTECTED_ENDING) ? [below(name)] : []);
  const wanted = new Set(
    [...NAMES_IN_TREE.map(below), ...workspaces, ...ofHome, ...named, ...own, ...ofGit].filter(inside),
  );
  return [...wanted].map((path) => ({
    path,
    tree,
    fileOnly: path.endsWith("/.git") && !named.includes(path),
    ...path === below(OWN_DIRECTORY) && !named.includes(path) && { writable: WRITABLE_IN_OWN },
  }));
}

/** Absolute, without steps up and without a slash at the end. */
function seenFrom(given: string, trees: readonly string[]): readonly string[] {
  if (given.startsWith("/")) return [normalPath(given)];
  return trees.map((tree) => normalPath(`${tree}/${given}`));
}

/** Paths outside the trees cannot be changed anyway; whole trees cannot be protected from commands. */
function protectProblem(given: string, trees: readonly string[]): string | undefined {
  const whole = trees.find((tree) => seenFrom(given, trees).some((path) => isWithin(tree, path)));
  return whole === undefined
    ? undefined
    : `Cannot protect "${given}": that is the whole tree "${whole}", which commands may write to. Name what is in it, or ` +
      "open it with --read";
}

function allowProblem(given: string, trees: readonly string[], all: readonly ProtectedPath[]): string | undefined {
  const open = seenFrom(given, trees);
  if (all.some(({ path }) => open.some((one) => isWithin(path, one)))) return undefined;
  if (open.some((one) => isOfRepository(one) && trees.some((tree) => isWithin(one, tree)))) return undefined;
  const above = all.find(({ path, fileOnly }) => !fileOnly && open.some((one) => isWithin(one, path)));
  // What git obeys is not known yet.
  const isThere = (path: string) => expected(() => Deno.lstatSync(path)) !== undefined;
  if (above === undefined && open.some((one) => trees.some((tree) => isWithin(one, tree)) && isThere(one))) {
    return undefined;
  }
  return above === undefined
    ? `Cannot allow changes to "${given}": it is not protected. Protected are ${
      PROTECTED_NAMES.join(", ")
    }, --protect ` +
      "and the tools directory"
    : `Cannot allow changes to "${given}" alone: "${above.path}" is protected as a whole. Name that`;
}

/** Whether `--allow-protected` takes a path that is protected: what was named or is known by its name. */
export function isOpenable(path: string): boolean {
  return isOfRepository(path) || NAMES_IN_TREE.some((name) => path.endsWith(`/${name}`));
}

/** Repositories below a tree are looked for later; what may be opened of them is known by its name. */
function isOfRepository(path: string): boolean {
  return path.endsWith("/.git") ||
    path.includes("/.git/") && REPOSITORY_NAMES.some((name) => path.endsWith(`/${name}`));
}

/** With what links among them lead to now, for systems where the look at each command does not follow them. */
export function withTargets(paths: readonly ProtectedPath[], trees: readonly string[]): readonly ProtectedPath[] {
  const found = new Map(paths.map((one) => [one.path, one]));
  for (const { path, fileOnly } of paths) {
    const real = realPath(path);
    const tree = trees.find((one) => real !== undefined && real !== one && isWithin(real, one));
    if (real === undefined || tree === undefined || found.has(real)) continue;
    found.set(real, { path: real, tree, fileOnly });
  }
  return [...found.values()];
}
