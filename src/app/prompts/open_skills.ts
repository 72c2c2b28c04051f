/** The skills of a running program: their directories, and the shipped one (Q6). Loaded only where skills are offered. */
import type { Logger } from "../../base/log.ts";
import { readableDirectories } from "../../catalog/load/find_tools.ts";
import { LiveSkills } from "../../prompt/skill/live_skills.ts";
import { bundledSkill } from "../../prompt/skill/read_skill.ts";
import { SkillSource } from "../../service/skills/skill_source.ts";
import { projectDirectory } from "../../settings/project_directories.ts";
import type { Settings } from "../../settings/settings.ts";
import { skillPlaces } from "./offers_skills.ts";
import { SHIPPED_SKILL, shippedSkill } from "../../settings/shipped_texts.ts";

export interface SkillOptions {
  readonly settings: Settings;
  /** The server's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
}

/** The skills of the settings; the first request for them reads their files. The user's win over the project's. */
export function openSkills(options: SkillOptions): LiveSkills {
  const { settings: { skills, hotReload, sandbox }, log } = options;
  const { user, project } = skillPlaces(options);
  const cwd = projectDirectory(sandbox.scopes, Deno.cwd());
  const mayReadProject = readableDirectories(undefined, cwd);
  return new LiveSkills({
    directories: [
      ...user === undefined ? [] : [{ origin: "user" as const, path: user, mayRead: readableDirectories(user, cwd) }],
      ...project.map((path) => ({ origin: "project" as const, path, mayRead: mayReadProject })),
    ],
    isWatched: hotReload,
    bundled: async () => skills.shipped ? [await bundledSkill(SHIPPED_SKILL, await shippedSkill())] : [],
    log,
  });
}

/** The same as a source, closed by `stack`. */
export function skillSource(options: SkillOptions, stack: AsyncDisposableStack): SkillSource {
  return new SkillSource(stack.use(openSkills(options)), options.log);
}
