/** The skills of a running server (Q6). Lists and reads share one load, so digests hold until a change is announced. */
import { type Diagnostic, keptInService, permanent, sortDiagnostics } from "../../base/diagnostic.ts";
import type { Unsubscribe } from "../../base/emitter.ts";
import type { Logger } from "../../base/log.ts";
import { compareText, shownValue } from "../../base/text.ts";
import { writtenOut } from "../../base/visible_text.ts";
import { LiveDirectory } from "../../system/live_directory.ts";
import { realPath } from "../../system/paths.ts";
import type { PromptDirectory } from "../load/read_prompts.ts";
import { entriesOf, foldersBelow } from "../load/walk.ts";
import { MOST_SKILL_BYTES, type ReadSkill, readSkill, type SkillPlace } from "./read_skill.ts";
import type { Skill, SkillLibrary } from "./skill.ts";

/** The most folders of a directory, and bytes of all skills together: they are kept in memory. */
const MOST_SKILLS = 200;
const MOST_BYTES = 2 * MOST_SKILL_BYTES;

export interface LiveSkillsOptions {
  /** In the order of precedence: of equal names the first is used. */
  readonly directories: readonly PromptDirectory[];
  readonly isWatched: boolean;
  /** Skills of the program; they are read when the first load begins. */
  readonly bundled: () => Promise<readonly ReadSkill[]>;
  readonly log: Logger;
}

export class LiveSkills implements AsyncDisposable {
  readonly #options: LiveSkillsOptions;
  readonly #live: LiveDirectory<SkillLibrary>;
  /** What was in service last, by folder. */
  #served: ReadonlyMap<string, Skill> = new Map();

  constructor(options: LiveSkillsOptions) {
    const { directories, isWatched, log } = options;
    this.#options = options;
    this.#live = new LiveDirectory({
      name: "skill",
      directories: isWatched ? directories.map(({ path }) => path) : [],
      below: foldersBelow,
      load: () => this.#load(),
      // An unchanged skill stays the same object.
      isSame: ({ skills: before }, { skills: after }) =>
        before.length === after.length && before.every((skill, index) => skill === after[index]),
      log,
    });
  }

  /** The current skills; the first call loads them. */
  current(): Promise<SkillLibrary> {
    return this.#live.current();
  }

  /** Calls `listener` once for each change of what clients can list or read. */
  subscribe(listener: (library: SkillLibrary) => void): Unsubscribe {
    return this.#live.subscribe(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#live[Symbol.asyncDispose]();
  }

  async #load(): Promise<SkillLibrary> {
    const diagnostics: Diagnostic[] = [];
    const found: Skill[] = [];
    for (const { skill, diagnostics: faults } of await this.#options.bundled()) {
      diagnostics.push(...faults);
      if (skill !== undefined) found.push(skill);
    }
    for (const directory of this.#options.directories) found.push(...await this.#readDirectory(directory, diagnostics));
    const skills = withinLimits(found, diagnostics);
    this.#served = new Map(skills.map((skill) => [skill.folder, skill]));
    return {
      skills: skills.toSorted((one, other) => compareText(one.files[0].uri, other.files[0].uri)),
      diagnostics: sortDiagnostics(diagnostics),
    };
  }

  async #readDirectory(
    { origin, path, mayRead }: PromptDirectory,
    diagnostics: Diagnostic[],
  ): Promise<readonly Skill[]> {
    const isElsewhere = () => {
      const real = realPath(path);
      return real !== undefined && !mayRead(real);
    };
    const told: Diagnostic[] = [];
    const skills: Skill[] = [];
    for (const name of isElsewhere() ? [] : foldersOf(path, told)) {
      const read = await readSkill({ origin, name, folder: `${path}/${name}` });
      skills.push(...this.#kept({ origin, name, folder: `${path}/${name}` }, read, told));
    }
    // Commands may be able to replace the directory while it is read.
    if (isElsewhere()) {
      diagnostics.push(
        permanent(path, "Cannot read skills: the directory is a link that leads out: use a real directory"),
      );
      return [];
    }
    diagnostics.push(...told);
    return skills;
  }

  /** The skill to serve from a folder: the new version, or the last good one if the folder cannot be read now. */
  #kept({ folder }: SkillPlace, { skill, diagnostics }: ReadSkill, told: Diagnostic[]): readonly Skill[] {
    const before = this.#served.get(folder);
    const isBad = skill === undefined && diagnostics.length > 0;
    told.push(...diagnostics.map((one) => isBad && before !== undefined ? keptInService(one) : one));
    const now = isBad || before !== undefined && skill !== undefined && isSameSkill(before, skill) ? before : skill;
    return now === undefined ? [] : [now];
  }
}

/** Names of the folders in a directory, in order; links are reported, hidden folders skipped. */
function foldersOf(directory: string, diagnostics: Diagnostic[]): readonly string[] {
  const entries = entriesOf(directory, MOST_SKILLS + 1, (place, why) => {
    diagnostics.push(permanent(place, `Cannot read skills: ${why}: make the directory readable`));
  }).filter(({ name }) => !name.startsWith("."));
  if (entries.length > MOST_SKILLS) {
    diagnostics.push(permanent(directory, `Cannot read all skills: at most ${MOST_SKILLS} entries are read`));
  }
  for (const { name } of entries.filter(({ isSymlink }) => isSymlink)) {
    const shown = writtenOut(shownValue(name));
    diagnostics.push(permanent(directory, `Cannot read skill ${shown}: it is a link: use a real folder`));
  }
  return entries.filter(({ isDirectory }) => isDirectory).map(({ name }) => name).slice(0, MOST_SKILLS)
    .sort(compareText);
}

/** The first skill of each name, within the limit of bytes. A project cannot take the name of a user's skill. */
function withinLimits(found: readonly Skill[], diagnostics: Diagnostic[]): readonly Skill[] {
  const taken = new Map<string, Skill>();
  let left = MOST_BYTES;
  for (const skill of found) {
    const { name, folder, files } = skill;
    const other = taken.get(name);
    const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (other !== undefined) {
      const message = `The name "${name}" is taken by "${other.folder}": rename the folder and the skill`;
      diagnostics.push({ ...permanent(folder, message), severity: "warning" });
    } else if (size > left) {
      diagnostics.push(
        permanent(folder, `Cannot read skill: all skills together may have at most ${MOST_BYTES} bytes`),
      );
    } else {
      taken.set(name, skill);
      left -= size;
    }
  }
  return [...taken.values()];
}

function isSameSkill(one: Skill, other: Skill): boolean {
  const facts = ({ files, folders }: Skill) => JSON.stringify([files.map(({ uri, digest }) => [uri, digest]), folders]);
  return facts(one) === facts(other);
}
