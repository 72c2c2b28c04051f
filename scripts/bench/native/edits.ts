import type { Programs } from "../programs.ts";
import type { Row } from "../report.ts";
import { StdioClient } from "../stdio_client.ts";
import { timeOf } from "../samples.ts";

/** Of a line of fifty bytes: sizes that show whether time grows with them. */
const LINES_OF_A_MEGABYTE = 20_000;
const SIZES = [5, 10, 20];
const REST_OF_LINE = "x".repeat(37);

/** One line of long files, replaced by `files_edit`, next to what every atomic change of them takes (K3). */
export async function nativeEdits(programs: Programs, rounds: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const megabytes of SIZES) rows.push(await edits(programs, rounds, megabytes));
  return rows;
}

async function edits(programs: Programs, rounds: number, megabytes: number): Promise<Row> {
  const directory = programs.directory("edits");
  const lines = Array.from({ length: megabytes * LINES_OF_A_MEGABYTE }, (_, at) => `line ${String(at).padStart(6)} `);
  const text = lines.map((line) => `${line}${REST_OF_LINE}\n`).join("");
  await Deno.writeTextFile(`${directory}/big.txt`, text);
  await using client = new StdioClient(programs.packed("--bundles", "files"));
  await client.initialize();
  const edit = async (line: number) => {
    const words = { old_string: lines[line], new_string: `edit ${String(line).padStart(6)} ` };
    await client.call("files_edit", { path: "edits/big.txt", ...words });
  };
  await edit(0);
  const ours: number[] = [];
  const floor: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    ours.push(await timeOf(() => edit(round * 1000)));
    floor.push(await timeOf(() => rewrite(directory)));
  }
  return {
    measure: `files_edit, one line of ${megabytes} MB`,
    unit: "ms",
    ours,
    floor: { name: "read, write, fsync and rename", samples: floor },
  };
}

/** What every atomic change of a file does. */
async function rewrite(directory: string): Promise<void> {
  const bytes = await Deno.readFile(`${directory}/big.txt`);
  {
    using file = await Deno.open(`${directory}/new.txt`, { write: true, create: true, truncate: true });
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    await file.sync();
  }
  await Deno.rename(`${directory}/new.txt`, `${directory}/big.txt`);
}
