import type { Programs } from "../programs.ts";
import type { Row } from "../report.ts";
import { StdioClient } from "../stdio_client.ts";

const LINES = 200_000;
const REST_OF_LINE = "x".repeat(40);

/** One line of a file of 10 MB, replaced by `files_edit`, next to what every atomic change of it takes (K3). */
export async function nativeEdits(programs: Programs, rounds: number): Promise<readonly Row[]> {
  const directory = programs.directory("edits");
  const text = Array.from({ length: LINES }, (_, at) => `line ${at} ${REST_OF_LINE}\n`).join("");
  await Deno.writeTextFile(`${directory}/big.txt`, text);
  await using client = new StdioClient(programs.packed("--bundles", "files"));
  await client.initialize();
  const edit = async (line: number) => {
    const words = { old_string: `line ${line} `, new_string: `edited ${line} ` };
    await client.call("files_edit", { path: "edits/big.txt", ...words });
  };
  await edit(0);
  const ours: number[] = [];
  const floor: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    ours.push(await timed(() => edit(round * 1000)));
    floor.push(await timed(() => rewrite(directory)));
  }
  return [{
    measure: "files_edit, one line of 10 MB",
    unit: "ms",
    ours,
    floor: { name: "read, write, fsync and rename", samples: floor },
  }];
}

async function timed(act: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await act();
  return performance.now() - begin;
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
