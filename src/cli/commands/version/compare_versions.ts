/** Versions of npm packages: three numbers, and what marks one that comes before a release. Pure. */

const FORM = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,64}))?$/;

/** Whether a text is the version of a package, and no range or name. */
export function isVersion(text: string): boolean {
  return FORM.test(text);
}

/** Whether `one` is newer than `other`; of two marked ones of the same numbers, neither is. */
export function isNewer(one: string, other: string): boolean {
  const [, ...first] = FORM.exec(one) ?? [];
  const [, ...second] = FORM.exec(other) ?? [];
  for (let place = 0; place < 3; place++) {
    const difference = Number(first[place]) - Number(second[place]);
    if (difference !== 0) return difference > 0;
  }
  return first[3] === undefined && second[3] !== undefined;
}
