/** A skill: a folder of files with a `SKILL.md`, as clients get it (Q6). */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { PromptOrigin } from "../format/prompt.ts";

/** The main file of every skill. */
export const SKILL_FILE = "SKILL.md";

/** The URI scheme of skills. */
export const SKILL_SCHEME = "skill://";

export interface SkillFile {
  /** Below the folder. */
  readonly path: string;
  readonly uri: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** `sha256:` and 64 digits. */
  readonly digest: string;
}

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly origin: PromptOrigin;
  /** Path of the folder, for messages. */
  readonly folder: string;
  /** Every field of the front matter, as its author wrote it. */
  readonly frontMatter: Readonly<Record<string, unknown>>;
  /** All of them, `SKILL.md` first. */
  readonly files: readonly [SkillFile, ...SkillFile[]];
  /** Addresses of the folder and those below it. */
  readonly folders: readonly string[];
}

export interface SkillLibrary {
  /** By address. */
  readonly skills: readonly Skill[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The first part of an address says who provides the skill, because the skill's entry has no other field for it. */
const OWNERS: Readonly<Record<PromptOrigin, string>> = { bundled: "ahma", user: "user", project: "project" };

/** The address of a file or folder of a skill; without a path, of the skill's own folder. */
export function skillUri(origin: PromptOrigin, name: string, path = ""): string {
  const names = path === "" ? [] : path.split("/").map(encodeURIComponent);
  return `${SKILL_SCHEME}${[OWNERS[origin], name, ...names].join("/")}`;
}
