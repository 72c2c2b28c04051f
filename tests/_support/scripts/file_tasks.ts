/** Tasks on files, of many calls each. */
import { filesOf, readAll, readAllCode, type ScriptTask } from "./script_task.ts";

const PROSE = "A line of text, as documents and sources have them.\n";
const AUTHORS = ["ann", "ben", "cleo"];

const sum: ScriptTask = {
  name: "sum of a number in 50 files",
  files: filesOf(50, (number) => `${PROSE.repeat(20)}count ${number}\n`),
  code: (at) =>
    `${readAllCode(at)}
return texts.reduce((sum, text) => sum + Number(/count (\\d+)/.exec(text)[1]), 0);`,
  plain: async (at, turn) =>
    (await readAll(at, turn)).values().reduce((all, text) => all + Number(/count (\d+)/.exec(text)?.[1]), 0),
};

const rename: ScriptTask = {
  name: "rename in 50 files",
  files: filesOf(50, (number) => `${PROSE.repeat(20)}oldName(${number});\n${PROSE}x = oldName;\n`),
  code: (at) =>
    `const found = await tools.files_grep({ pattern: "\\\\boldName\\\\b", path: "${at}", output_mode: "files_with_matches" });
const paths = found.text.split("\\n").filter((path) => path.endsWith(".txt"));
const edit = { old_string: "oldName", new_string: "newName", replace_all: true };
const made = await Promise.all(paths.map((path) => tools.files_edit({ path, ...edit })));
return made.filter(({ isError }) => !isError).length;`,
  plain: async (at, turn) => {
    const args = { pattern: "\\boldName\\b", path: at, output_mode: "files_with_matches" };
    const [found = ""] = await turn(["files_grep", args]);
    const paths = found.split("\n").filter((path) => path.endsWith(".txt"));
    const edit = { old_string: "oldName", new_string: "newName", replace_all: true };
    return (await turn(...paths.map((path) => ["files_edit", { path, ...edit }] as const))).length;
  },
};

const count: ScriptTask = {
  name: "count of marks by author in 40 files",
  files: filesOf(
    40,
    (number) => `${PROSE.repeat(3)}// TODO(${AUTHORS[number % 3]}): look at case ${number}\n`.repeat(5),
  ),
  code: (at) =>
    `const { text } = await tools.files_grep({ pattern: "TODO\\\\(\\\\w+\\\\)", path: "${at}", limit: 10000 });
const counts = {};
for (const [, author] of text.matchAll(/TODO\\((\\w+)\\)/g)) counts[author] = (counts[author] ?? 0) + 1;
return counts;`,
  plain: async (at, turn) => {
    const [text = ""] = await turn(["files_grep", { pattern: "TODO\\(\\w+\\)", path: at, limit: 10_000 }]);
    const counts: Record<string, number> = {};
    for (const [, author = ""] of text.matchAll(/TODO\((\w+)\)/g)) counts[author] = (counts[author] ?? 0) + 1;
    return counts;
  },
};

const newest: ScriptTask = {
  name: "the greatest version in 40 JSON files",
  files: filesOf(40, (number) => {
    const dependencies = Object.fromEntries(AUTHORS.map((name) => [`${name}-library`, `^${number}.0.0`]));
    return JSON.stringify({ name: `p${number}`, version: `1.${number * 17 % 41}.0`, dependencies }, undefined, 2);
  }, "json"),
  code: (at) =>
    `${readAllCode(at)}
const minor = ({ version }) => Number(version.split(".")[1]);
return texts.map((text) => JSON.parse(text)).sort((a, b) => minor(b) - minor(a))[0].name;`,
  plain: async (at, turn) => {
    const all = [...(await readAll(at, turn)).values()].map((text) => JSON.parse(text));
    const minor = ({ version }: { readonly version: string }) => Number(version.split(".")[1]);
    return all.toSorted((one, other) => minor(other) - minor(one))[0].name;
  },
};

const links: ScriptTask = {
  name: "dead links of 30 documents",
  files: filesOf(
    30,
    (number) => `${PROSE.repeat(10)}See [next](f${number + 1}.md) and [far](f${number * 2}.md).\n`,
    "md",
  ),
  code: (at) =>
    `${readAllCode(at)}
const dead = texts.flatMap((text, n) =>
  [...text.matchAll(/\\]\\((.+?)\\)/g)].filter(([, to]) => !paths.includes("${at}/" + to)).map(([, to]) => n + " " + to));
return dead.length;`,
  plain: async (at, turn) => {
    const texts = await readAll(at, turn);
    return [...texts.values()].flatMap((text) => [...text.matchAll(/\]\((.+?)\)/g)])
      .filter(([, to]) => !texts.has(`${at}/${to}`)).length;
  },
};

const chain: ScriptTask = {
  name: "chain of 25 files, each naming the next",
  files: filesOf(25, (number) => `${PROSE.repeat(5)}next: ${number === 24 ? "none" : `f${number + 1}.txt`}\n`),
  code: (at) =>
    `let path = "f0.txt", length = 0;
while (path !== "none") {
  const { text } = await tools.files_read({ path: "${at}/" + path, line_numbers: false });
  path = /next: (\\S+)/.exec(text)[1];
  length++;
}
return length;`,
  plain: async (at, turn) => {
    let length = 0;
    for (let path = "f0.txt"; path !== "none"; length++) {
      const [text = ""] = await turn(["files_read", { path: `${at}/${path}`, line_numbers: false }]);
      path = /next: (\S+)/.exec(text)?.[1] ?? "none";
    }
    return length;
  },
};

const compare: ScriptTask = {
  name: "differences of two directories of 30 files",
  files: Object.fromEntries(
    Object.entries(filesOf(30, (number) => `${PROSE.repeat(10)}${number}\n`)).flatMap(([name, text], number) => [
      [`one/${name}`, text],
      [`two/${name}`, number % 9 === 4 ? `${text}more\n` : text],
    ]),
  ),
  code: (at) =>
    `${readAllCode(at)}
const other = (path) => texts[paths.indexOf(path.replace("/one/", "/two/"))];
return paths.filter((path, n) => path.includes("/one/") && other(path) !== texts[n]);`,
  plain: async (at, turn) => {
    const texts = await readAll(at, turn);
    const other = (path: string) => texts.get(path.replace("/one/", "/two/"));
    return [...texts].filter(([path, text]) => path.includes("/one/") && other(path) !== text).map(([path]) => path);
  },
};

const search: ScriptTask = {
  name: "first failing revision of 4,096",
  files: { first: "2741" },
  code: (at) =>
    `let low = 0, high = 4096;
while (low < high) {
  const half = (low + high) >> 1;
  const { text } = await tools.sandboxed_shell({ command: "[ " + half + " -lt $(cat ${at}/first) ] && echo good || echo bad" });
  if (text.includes("bad")) high = half; else low = half + 1;
}
return low;`,
  plain: async (at, turn) => {
    let [low, high] = [0, 4096];
    while (low < high) {
      const half = (low + high) >> 1;
      const command = `[ ${half} -lt $(cat ${at}/first) ] && echo good || echo bad`;
      const [text = ""] = await turn(["sandboxed_shell", { command }]);
      if (text.includes("bad")) high = half;
      else low = half + 1;
    }
    return low;
  },
};

export const FILE_TASKS: readonly ScriptTask[] = [sum, rename, count, newest, links, chain, compare, search];
