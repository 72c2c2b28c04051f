/** What dpkg knows of packages and their files. Pure. */

/** An installed package, as `dpkg-query` tells it in the form of `PACKAGE_FORM`. */
export interface DebianPackage {
  readonly name: string;
  readonly isEssential: boolean;
  /** Names of packages, and of what packages provide: any of an alternative. */
  readonly depends: readonly string[];
  readonly provides: readonly string[];
}

/** What to ask dpkg-query for: a line a package. */
export const PACKAGE_FORM =
  "${db:Status-Status}\\t${Package}\\t${Essential}\\t${Priority}\\t${Pre-Depends}, ${Depends}\\t" +
  "${Provides}\\n";

/** The installed packages. */
export function packagesOf(listing: string): readonly DebianPackage[] {
  return listing.split("\n").filter((line) => line.startsWith("installed\t")).map((line) => {
    const [, name = "", essential, priority, depends = "", provides = ""] = line.split("\t");
    return {
      name,
      isEssential: essential === "yes" || priority === "required",
      depends: namesIn(depends),
      provides: namesIn(provides),
    };
  });
}

/** `a (>= 1) | b, c:any` names a, b and c. */
function namesIn(relations: string): readonly string[] {
  return relations.split(/[,|]/).map((one) => /[a-z\d][a-z\d+.-]*/.exec(one)?.[0] ?? "").filter((name) => name !== "");
}

/** The named packages, the essential ones, and all that they depend on, as far as they are installed. */
export function withDependencies(all: readonly DebianPackage[], names: readonly string[]): ReadonlySet<string> {
  const named = all.flatMap((one) => [one.name, ...one.provides].map((name) => ({ name, one })));
  const byName = Map.groupBy(named, ({ name }) => name);
  const found = new Set<string>();
  const open = [...all.filter(({ isEssential }) => isEssential).map(({ name }) => name), ...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const { one } of byName.get(name) ?? []) {
      if (found.has(one.name)) continue;
      found.add(one.name);
      open.push(...one.depends);
    }
  }
  return found;
}

/** A path as merged systems have it: `/bin/sh` is `/usr/bin/sh`. */
export function merged(path: string): string {
  return path.replace(/^\/(?=(?:s?bin|lib\d*)\/)/, "/usr/");
}
