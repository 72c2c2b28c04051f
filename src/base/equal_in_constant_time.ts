/** Compares in a time that depends only on the length of `given`, which its sender knows. */
export function equalInConstantTime(given: string, wanted: string): boolean {
  let difference = given.length ^ wanted.length;
  for (let index = 0; index < given.length; index++) {
    difference |= given.charCodeAt(index) ^ wanted.charCodeAt(index % Math.max(1, wanted.length));
  }
  return difference === 0;
}
