import type { Programs } from "../programs.ts";
import type { Row } from "../report.ts";
import { StdioClient } from "../stdio_client.ts";
import { timeOf } from "../samples.ts";

const FILES = 5_000;
const DIRECTORIES = 100;
const FUNCTIONS = 12;
/** Words of sources are made of two of these: 576 of them. */
const SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu ze bri cla dro".split(" ");
const QUERIES = 40;

/** How long an index takes, and a question of it, with the look for changed files (K4). */
export async function search(programs: Programs): Promise<readonly Row[]> {
  const scope = programs.directory("sources");
  await makeSources(scope);
  await using client = new StdioClient(programs.packed("--bundles", "search", "--inline-wait", "60000"));
  await client.initialize();
  const whole = await timeOf(() => client.call("search_index", {}));
  const asked: number[] = [];
  for (let query = 0; query < QUERIES; query++) {
    asked.push(await timeOf(() => client.call("search_query", { query: `${word(query)} ${word(query * 5 + 1)}` })));
  }
  return [
    {
      measure: "search_index, 5,000 sources",
      unit: "ms",
      ours: [whole],
      target: { text: "K4: < 20 s", met: ({ p50 }) => p50 < 20_000 },
    },
    {
      measure: "search_query, 5,000 sources",
      unit: "ms",
      ours: asked,
      target: { text: "K4: < 100 ms", met: ({ p50 }) => p50 < 100 },
    },
  ];
}

async function makeSources(scope: string): Promise<void> {
  for (let directory = 0; directory < DIRECTORIES; directory++) {
    await Deno.mkdir(`${scope}/${directory}`);
    for (let file = 0; file < FILES / DIRECTORIES; file++) {
      const parts = Array.from({ length: FUNCTIONS }, (_, at) => functionOf(directory * 1000 + file * FUNCTIONS + at));
      await Deno.writeTextFile(`${scope}/${directory}/${word(file)}_${file}.ts`, parts.join("\n"));
    }
  }
}

function functionOf(seed: number): string {
  const [verb, noun, other] = [word(seed), word(seed * 7 + 3), word(seed * 11 + 5)];
  const name = `${verb}${noun[0]?.toUpperCase()}${noun.slice(1)}${seed}`;
  return `/** Turns the ${noun} of a ${other} into a ${verb}. */
export function ${name}(${noun}: string, ${other}: number): string {
  const parts = ${noun}.split("/").filter((part) => part.length > ${other});
  if (parts.length === 0) throw new Error("The ${noun} has no ${other}");
  return parts.map((part) => part.trim()).join(" ");
}
`;
}

function word(number: number): string {
  const count = SYLLABLES.length;
  return `${SYLLABLES[number % count] ?? ""}${SYLLABLES[Math.floor(number / count) % count] ?? ""}`;
}
