/** Native tools that read, which a client or a command leads astray. */
import { BOTH, type Call, type Driven, type Place, type Row, type Scene, type Way } from "../frame/attack.ts";
import { NATIVE } from "./server.ts";

/** Calls that name the secret; a shell line of the control reads it. */
function calls(list: (place: Place) => readonly Call[], prepare?: Way["prepare"]): Way {
  const way = { does: list, control: ({ secret }: Place) => `cat ${secret}`, sharedServer: NATIVE };
  return prepare === undefined ? way : { ...way, prepare };
}

function read(path: string): Call {
  return { tool: "files_read", arguments: { path } };
}

function grep(path: string): Call {
  return { tool: "files_grep", arguments: { pattern: ".", path, respect_git_ignore: false } };
}

/** Its target is outside. */
function link({ directory, out, secret }: Place): void {
  Deno.symlinkSync(secret, `${directory}/link`);
  Deno.symlinkSync(out, `${directory}/tree`);
}

const EXCHANGES = 1000;
/** Calls under way at the same time. */
const ABREAST = 4;

/** `x` is a true directory, `p` a link to the outside; both have the names that are asked for. */
function twoStates({ directory, out }: Place, give: (path: string) => void): void {
  for (const name of ["secret", "script"]) {
    Deno.mkdirSync(`${directory}/x`, { recursive: true });
    Deno.writeTextFileSync(`${directory}/x/${name}`, "true\n");
    give(`${directory}/x/${name}`);
  }
  give(`${directory}/x`);
  Deno.symlinkSync(out, `${directory}/p`);
}

function exchange(directory: string): void {
  for (const [from, to] of [["x", "t"], ["p", "x"], ["t", "p"]]) {
    Deno.renameSync(`${directory}/${from}`, `${directory}/${to}`);
  }
}

/** Asks again and again for what is exchanged until it was so often. */
async function readMeanwhile({ running, directory }: Scene): Promise<Driven> {
  const asked: readonly Call[] = [
    read(`${directory}/x/secret`),
    grep(directory),
    grep(`${directory}/x`),
    { tool: "files_list", arguments: { path: `${directory}/x` } },
    { tool: "files_glob", arguments: { pattern: "*", path: `${directory}/x` } },
  ];
  let left = EXCHANGES;
  let saw = 0;
  await Promise.all(Array.from({ length: ABREAST }, async (_, lane) => {
    for (let at = lane; left > 0; at++) {
      const { tool, arguments: args } = asked[at % asked.length] ?? read("");
      const answering = running.call(tool, args);
      for (let moves = 0; moves < 10 && left > 0; moves++, left--) exchange(directory);
      if ((await answering).text.includes("true")) saw++;
    }
  }));
  // Where every call is refused, nothing is shown.
  return saw > 0 ? {} : { achieved: "no call saw the true directory" };
}

/** A program that looks at a path and then opens it by name. */
async function looksThenReads({ directory }: Scene): Promise<Driven> {
  const path = `${directory}/x/secret`;
  for (let moves = 0; moves < EXCHANGES; moves++) {
    const real = await Deno.realPath(path);
    exchange(directory);
    if (!real.startsWith(`${directory}/`)) continue;
    await Deno.writeTextFile(`${directory}/taken`, await Deno.readTextFile(path));
    break;
  }
  return {};
}

export const NATIVE_READS: readonly Row[] = [
  {
    id: "T01",
    title: "native tools read what is outside",
    users: BOTH,
    aim: "read",
    ways: {
      "its path": calls(({ secret, out }) => [read(secret), grep(secret), grep(out)]),
      "a link": calls(({ directory }) => [
        read(`${directory}/link`),
        read(`${directory}/tree/secret`),
        grep(`${directory}/link`),
        grep(directory),
        grep(`${directory}/tree`),
        { tool: "files_list", arguments: { path: `${directory}/tree` } },
        { tool: "files_glob", arguments: { pattern: "**", path: directory } },
      ], link),
      "magic links of /proc": calls(({ secret, directory }) =>
        ["self/root", "thread-self/root", "self/cwd/../../../.."].flatMap((name) => [
          read(`/proc/${name}${secret}`),
          read(`${directory}/../../../../../../proc/${name}${secret}`),
          grep(`/proc/${name}${secret}`),
        ])
      ),
      "an option for rg": calls(({ directory, secret }) => [
        { tool: "files_grep", arguments: { pattern: `--file=${secret}`, path: directory } },
        { tool: "files_grep", arguments: { pattern: ".", path: directory, glob: [`--pre=cat`, `--file=${secret}`] } },
        { tool: "files_grep", arguments: { pattern: ".", path: directory, type: `x\n--file=${secret}` } },
        { tool: "files_glob", arguments: { pattern: `${secret}`, path: directory } },
      ]),
    },
  },
  {
    id: "T02",
    title: "native tools read a directory that is exchanged for a link to the outside meanwhile",
    users: BOTH,
    alikeForRoot: "the worker opens names through no link, whose process it is",
    aim: "read",
    ways: {
      "a thousand exchanges": {
        does: { drive: readMeanwhile },
        control: { drive: looksThenReads },
        prepare: twoStates,
        sharedServer: NATIVE,
      },
    },
  },
];
