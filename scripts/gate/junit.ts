/** Reads the JUnit reports that `deno test --junit-path` writes. */

/** One test of a report. */
export interface TestTime {
  readonly name: string;
  /** The file that defines the test. */
  readonly file: string;
  readonly seconds: number;
}

const SUITE = /<testsuite name="([^"]*)"[^>]*>([^]*?)<\/testsuite>/g;
const CASE = /<testcase name="([^"]*)"[^>]* time="([\d.]+)"/g;
/** Between the names of a test and of its step. */
const STEP = " > ";

/** The tests of one report. A step is part of its test and not listed. Empty for a report without tests. */
export function testTimes(xml: string): readonly TestTime[] {
  return Array.from(xml.matchAll(SUITE)).flatMap(([, file = "", body = ""]) => {
    const cases = Array.from(body.matchAll(CASE), ([, name = "", time = ""]) => ({ name: plain(name), time }));
    const names = new Set(cases.map(({ name }) => name));
    return cases.filter(({ name }) => !isStep(name, names)).map(({ name, time }) => ({
      name,
      file: plain(file).replace(/^\.\//, ""),
      seconds: Number(time),
    }));
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
