/** Whether this server offers skills, and where they are: asked at each start, so it loads nothing (Q6). */
import { projectDirectory } from "../../settings/project_directories.ts";
import type { Settings } from "../../settings/settings.ts";
import { realPath } from "../../system/paths.ts";
import { userDirectory } from "../../system/user_directories.ts";

export interface SkillPlaces {
  readonly user: string | undefined;
  /** Ours, and that of another program, which is read too. */
  readonly project: readonly [own: string, other: string];
}

export interface SkillSettings {
  readonly settings: Pick<Settings, "skills" | "sandbox">;
  /** The server's own variables. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Absolute paths, as they may appear. */
export function skillPlaces({ settings, environment }: SkillSettings): SkillPlaces {
  const configuration = userDirectory(environment, "XDG_CONFIG_HOME");
  const project = projectDirectory(settings.sandbox.scopes, Deno.cwd());
  return {
    user: configuration && `${configuration}/ahma/skills`,
    project: [`${project}/.ahma/skills`, `${project}/.claude/skills`],
  };
}

/** Whether `--skills` asks for them, or a directory of ours exists now; another program's alone is no reason. */
export function offersSkills(options: SkillSettings): boolean {
  const { skills } = options.settings;
  const { user, project: [own] } = skillPlaces(options);
  return skills.offered &&
    (skills.shipped || [user, own].some((path) => path !== undefined && realPath(path) !== undefined));
}
