/**
 * The user's settings file is trusted like a flag, so a command that could write it would decide how the next server is
 * confined. If it lies in a scope or `--write` directory, it is created and kept read-only, or the server does not
 * start (S8, S14).
 */
import { UserError } from "../base/errors.ts";
import { expected, isWithin, linksOnTheWay, parentOf, placeOf, realPath } from "../system/paths.ts";
import { userSettingsPath } from "../settings/settings_files.ts";

/** The directory of the user's settings file, canonical; undefined: nothing says where it would be. */
export function settingsPlace(environment: Readonly<Record<string, string>>): string | undefined {
  const file = userSettingsPath(environment);
  return file === undefined ? undefined : placeOf(parentOf(file));
}

/** True: commands can write there, and it must be read-only. `trees` are canonical. @throws {UserError} if it cannot */
export function keepSettingsPlace(
  environment: Readonly<Record<string, string>>,
  trees: readonly string[],
): boolean {
  const file = userSettingsPath(environment);
  const place = settingsPlace(environment);
  if (file === undefined || place === undefined) return false;
  const isOpen = (path: string) => trees.some((tree) => isWithin(path, tree));
  const link = linksOnTheWay(parentOf(file)).find(isOpen);
  if (link !== undefined) {
    throw refused(place, `the path leads through "${link}", a link that commands could replace`);
  }
  if (!isOpen(place)) return false;
  const whole = trees.find((tree) => isWithin(tree, place));
  if (whole !== undefined) throw refused(place, `it is part of a tree that commands may write to, "${whole}"`);
  const made = expected(() => {
    Deno.mkdirSync(place, { recursive: true, mode: 0o700 });
    return true;
  });
  if (made !== true || realPath(place) !== place) {
    throw refused(place, "it cannot be created, and commands could create it");
  }
  return true;
}

/** Why commands may not be run where nothing can be mounted read-only. */
export function unkeptSettings(environment: Readonly<Record<string, string>>): UserError {
  return refused(settingsPlace(environment) ?? "", "this system refuses the namespaces that would keep it read-only");
}

function refused(place: string, why: string): UserError {
  return new UserError(
    `Cannot keep commands from this program's own settings in "${place}": ${why}. ` +
      "Choose another scope or --write directory, or set XDG_CONFIG_HOME to a directory outside them",
  );
}
