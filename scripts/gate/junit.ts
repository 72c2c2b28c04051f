/** Reads the JUnit reports that `deno test --junit-path` writes. */

/** One test of a report. */
export interface TestTime {
  readonly name: string;
  /** The file that defines the test. */
  readonly file: string;
  readonly seconds: number;
}

/** One test that failed. */
export interface TestFailure {
  readonly name: string;
  /** The file that defines the test. */
  readonly file: string;
  /** The message of its assertion. */
  readonly text: string;
}

const SUITE = /<testsuite name="([^"]*)"[^>]*>([^]*?)<\/testsuite>/g;
const CASE = /<testcase name="([^"]*)"[^>]* time="([\d.]+)"/g;
const FAILED = /<testcase name="([^"]*)"[^>]*>\s*<failure [^>]*>([^<]*)<\/failure>/g;
/** Between the names of a test and of its step. */
const STEP = " > ";

/** The tests of one report. A step is part of its test and not listed. Empty for a report without tests. */
export function testTimes(xml: string): readonly TestTime[] {
  return inSuites(xml, CASE, (name, file, time) => ({ name, file, seconds: Number(time) }));
}

/** The tests of one report that failed. A step is part of its test and not listed. */
export function testFailures(xml: string): readonly TestFailure[] {
  return inSuites(xml, FAILED, (name, file, text) => ({ name, file, text: plain(text) }));
}

/** What `pattern` finds in each suite: a name, and a text that `made` reads. */
function inSuites<T>(
  xml: string,
  pattern: RegExp,
  made: (name: string, file: string, text: string) => T,
): readonly T[] {
  return Array.from(xml.matchAll(SUITE)).flatMap(([, file = "", body = ""]) => {
    const found = Array.from(body.matchAll(pattern), ([, name = "", text = ""]) => ({ name: plain(name), text }));
    const names = new Set(found.map(({ name }) => name));
    return found
      .filter(({ name }) => !isStep(name, names))
      .map(({ name, text }) => made(name, plain(file).replace(/^\.\//, ""), text));
  });
}

/** The tests that took longest, the slowest first. */
export function slowest(tests: readonly TestTime[], count: number): readonly TestTime[] {
  return tests.toSorted((one, other) => other.seconds - one.seconds).slice(0, count);
}

function isStep(name: string, names: ReadonlySet<string>): boolean {
  for (let at = name.indexOf(STEP); at >= 0; at = name.indexOf(STEP, at + 1)) {
    if (names.has(name.slice(0, at))) return true;
  }
  return false;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function plain(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hexadecimal !== undefined) return String.fromCodePoint(parseInt(hexadecimal, 16));
    return ENTITIES[name] ?? whole;
  });
}
