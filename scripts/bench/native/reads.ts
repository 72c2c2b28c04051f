import { findProgram } from "../../../src/toolbox/project/programs.ts";
import { parentOf } from "../../../src/system/paths.ts";
import type { CommandLine } from "../../client/command_line.ts";
import type { Programs } from "../programs.ts";
import type { Row, Seen } from "../report.ts";
import { StdioClient } from "../stdio_client.ts";
import { more, timeOf } from "../samples.ts";

const FILES = 50_000;
const DIRECTORIES = 500;
const LINES = 20;
/** One in this many files has the line that is searched for. */
const RARE = 100;
/** Of the long file, bytes a line and lines. */
const LINE = 100;
const LONG_LINES = 10_000_000;
const READS = 50;

/** The cost of native tools for files, compared with programs that do the same (K3). */
export async function nativeReads(programs: Programs, rounds: number): Promise<readonly Row[]> {
  const scope = programs.directory("many");
  await makeFiles(scope);
  const rg = findProgram("rg");
  const program = withProgram(programs.packed("--bundles", "files"), rg);
  await using client = new StdioClient(program);
  await client.initialize();
  await client.call("files_read", { path: "many/0/0.ts" });
  const found = rg === undefined ? [notMeasured("files_glob"), notMeasured("files_grep")] : [
    await beside("files_glob, 50,000 files", rounds, {
      ours: () => client.call("files_glob", { pattern: "*.ts", path: "many" }),
      name: "rg --files --sortr=modified",
      floor: () => run(rg, ["--files", "--sortr=modified", "--glob=*.ts"], scope),
      target: SEARCH,
    }),
    await beside("files_grep, 50,000 files", rounds, {
      ours: () => client.call("files_grep", { pattern: "needle \\d+", path: "many", output_mode: "count" }),
      name: "rg --count",
      floor: () => run(rg, ["--count", "needle \\d+", "."], scope),
      target: SEARCH,
    }),
  ];
  return [...found, await smallRead(client, scope), ...await longReads(client, programs.directory("."), rounds)];
}

const SEARCH = { text: "K3: <= 1.3 x + 20 ms", met: ({ p50, ratio }: Seen) => p50 <= 1.3 * p50 / ratio + 20 };

async function smallRead(client: StdioClient, scope: string): Promise<Row> {
  const row = await beside("files_read, warm", READS, {
    ours: () => client.call("files_read", { path: "many/1/1.ts" }),
    name: "the file's reading",
    floor: () => Deno.readFile(`${scope}/1/1.ts`),
    target: { text: "K3: <= 2 ms more", met: (seen) => more(seen) <= 2 },
  });
  return row;
}

/** A file of 1 GB, near its end. */
async function longReads(client: StdioClient, scope: string, rounds: number): Promise<readonly Row[]> {
  const path = `${scope}/long.log`;
  await makeLong(path);
  const read = (offset: number) => () => client.call("files_read", { path: "long.log", offset, limit: 10 });
  const rows = [
    await beside("files_read, last lines of 1 GB", rounds, {
      ours: read(-10),
      name: "tail -n 10",
      floor: () => run("/usr/bin/tail", ["-n", "10", path], scope),
    }),
    await beside("files_read, 1 GB to a line near its end", rounds, {
      ours: read(LONG_LINES - 20),
      name: "tail -n +N",
      floor: () => run("/usr/bin/tail", ["-n", `+${LONG_LINES - 20}`, path], scope),
    }),
  ];
  await Deno.remove(path);
  return rows;
}

interface Turns {
  readonly ours: () => Promise<unknown>;
  readonly name: string;
  readonly floor: () => Promise<unknown>;
  readonly target?: Row["target"];
}

/** Both in turns; the first turn warms up. */
async function beside(measure: string, rounds: number, { ours, name, floor, target }: Turns): Promise<Row> {
  const samples: [ours: number[], floor: number[]] = [[], []];
  for (let round = -1; round < rounds; round++) {
    for (const [index, turn] of [ours, floor].entries()) {
      const milliseconds = await timeOf(turn);
      if (round >= 0) samples[index]?.push(milliseconds);
    }
  }
  return {
    measure,
    unit: "ms",
    ours: samples[0],
    floor: { name, samples: samples[1] },
    ...target !== undefined && { target },
  };
}

function notMeasured(measure: string): Row {
  return { measure, unit: "ms", ours: [], note: "rg is missing" };
}

/** With the directory of a program on the PATH, and read there. */
function withProgram(line: CommandLine, path: string | undefined): CommandLine {
  if (path === undefined) return line;
  const directory = parentOf(path);
  const own = { PATH: `${directory}:${line.environment["PATH"] ?? ""}` };
  return { ...line, args: [...line.args, "--read", directory], environment: { ...line.environment, ...own } };
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code } = await new Deno.Command(command, { args: [...args], cwd, stdin: "null", stderr: "null" }).output();
  if (code !== 0) throw new Error(`"${command}" failed with exit code ${code}`);
}

async function makeFiles(scope: string): Promise<void> {
  for (let directory = 0; directory < DIRECTORIES; directory++) {
    await Deno.mkdir(`${scope}/${directory}`);
    const numbers = Array.from({ length: FILES / DIRECTORIES }, (_, at) => directory * (FILES / DIRECTORIES) + at);
    await Promise.all(numbers.map(async (number) => {
      const lines = Array.from({ length: LINES }, (_, at) => `const value${at} = compute(${number}, ${at});`);
      const rare = number % RARE === 0 ? `// needle ${number}\n` : "";
      await Deno.writeTextFile(`${scope}/${directory}/${number % 100}.ts`, `${lines.join("\n")}\n${rare}`);
    }));
  }
}

async function makeLong(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true });
  const block = new TextEncoder().encode(`${"x".repeat(LINE - 1)}\n`.repeat(LONG_LINES / 1000));
  for (let written = 0; written < 1000; written++) {
    for (let at = 0; at < block.length;) at += await file.write(block.subarray(at));
  }
}
