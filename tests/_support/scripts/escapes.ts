/**
 * Attempts to escape from the process of a script. Each is the body of a script that reads, writes or reaches something
 * forbidden, and returns what it read. As the control, each has its effect when it runs with all permissions.
 */

/** What lies outside a script's reach. */
export interface Outside {
  /** A file of JSON, whose member `m` is a marker. */
  readonly secret: string;
  /** A directory for files that must not be made. */
  readonly directory: string;
  /** Where a listener takes connections. */
  readonly port: number;
  /** The id of a process. */
  readonly victim: number;
}

export interface Escape {
  readonly title: string;
  /** `reads`: the marker is in the value. `makes`: a file is made. `connects`, `kills`: as it says. */
  readonly aim: "reads" | "makes" | "connects" | "kills";
  readonly code: (outside: Outside) => string;
}

/** A module of a thread of its own, whose message is the value. */
function inThread(module: string): string {
  const source = JSON.stringify(`import { parentPort } from "node:worker_threads"; ${module}`);
  return `const { Worker } = await import("node:worker_threads");
    const thread = new Worker(new URL("data:text/javascript," + encodeURIComponent(${source})));
    return await new Promise((resolve, reject) => thread.on("message", resolve).on("error", reject));`;
}

const READING: readonly (readonly [title: string, code: Escape["code"]])[] = [
  ["node:fs", ({ secret }) => `return (await import("node:fs")).readFileSync("${secret}", "utf8")`],
  ["the runtime's own function", ({ secret }) => `return Deno.readTextFileSync("${secret}")`],
  ["a callback of node:fs", ({ secret }) =>
    `const { readFile } = await import("node:fs");
    return await new Promise((resolve, reject) => readFile("${secret}", "utf8", (e, text) => e ? reject(e) : resolve(text)))`],
  [
    "an import of JSON",
    ({ secret }) => `return (await import("file://${secret}", { with: { type: "json" } })).default.m`,
  ],
  ["require", ({ secret }) => `return (await import("node:module")).createRequire("file:///x.js")("${secret}").m`],
  ["a module in an address", ({ secret }) =>
    `const source = 'export default Deno.readTextFileSync("${secret}")';
    return (await import("data:text/javascript," + encodeURIComponent(source))).default`],
  [
    "a module in a blob",
    ({ secret }) =>
      `const blob = new Blob(['export default Deno.readTextFileSync("${secret}")'], { type: "text/javascript" });
    return (await import(URL.createObjectURL(blob))).default`,
  ],
  ["a thread", ({ secret }) => inThread(`parentPort.postMessage(Deno.readTextFileSync("${secret}"));`)],
  [
    "a thread that fetches",
    ({ secret }) => inThread(`parentPort.postMessage(await (await fetch("file://${secret}")).text());`),
  ],
  ["the constructor of another realm", ({ secret }) =>
    `const { runInNewContext } = await import("node:vm");
    const read = runInNewContext("(read) => read.constructor('return Deno.readTextFileSync')()");
    return read(() => {})("${secret}")`],
  ["a worker of a thread", ({ secret }) => {
    const source = `postMessage(Deno.readTextFileSync("${secret}"))`;
    const address = `"data:text/javascript," + encodeURIComponent(${JSON.stringify(source)})`;
    return inThread(`const worker = new Worker(${address}, { type: "module" });
      worker.onmessage = ({ data }) => parentPort.postMessage(data);
      worker.onerror = (event) => { event.preventDefault(); parentPort.postMessage(event.message); };`);
  }],
  ["a database", ({ secret }) =>
    `const { DatabaseSync } = await import("node:sqlite");
    try { new DatabaseSync("${secret}").exec("select * from sqlite_master"); } catch (error) {
      if (!/not a database/.test(error.message)) throw error;
      return "MARKER of a file that was opened";
    }`],
  [
    "a program of node:child_process",
    ({ secret }) => `return (await import("node:child_process")).execFileSync("cat", ["${secret}"]).toString()`,
  ],
  [
    "a program",
    ({ secret }) =>
      `return new TextDecoder().decode(new Deno.Command("cat", { args: ["${secret}"] }).outputSync().stdout)`,
  ],
  [
    "the C library",
    ({ secret }) =>
      `const libc = Deno.dlopen("libc.so.6", { open: { parameters: ["buffer", "i32"], result: "i32" } });
    const fd = libc.symbols.open(new TextEncoder().encode("${secret}\\0"), 0);
    if (fd < 0) throw new Error("not opened");
    return "MARKER of a file that was opened"`,
  ],
  ["a variable", () => `return Deno.env.get("ESCAPE_VALUE")`],
  ["a variable of node:process", () => `return (await import("node:process")).default.env.ESCAPE_VALUE`],
  ["variables in /proc", () => `return Deno.readTextFileSync("/proc/self/environ")`],
];

const OTHERS: readonly (readonly [aim: Escape["aim"], title: string, code: Escape["code"]])[] = [
  ["makes", "node:fs", ({ directory }) => `(await import("node:fs")).writeFileSync("${directory}/made", "x")`],
  ["makes", "the runtime's own function", ({ directory }) => `Deno.writeTextFileSync("${directory}/made", "x")`],
  ["makes", "a link", ({ directory }) => `Deno.symlinkSync("/etc", "${directory}/made")`],
  [
    "makes",
    "a snapshot of the heap",
    ({ directory }) => `(await import("node:v8")).writeHeapSnapshot("${directory}/made")`,
  ],
  [
    "makes",
    "a database",
    ({ directory }) => `new (await import("node:sqlite")).DatabaseSync("${directory}/made").exec("create table t (a)")`,
  ],
  [
    "makes",
    "a thread",
    ({ directory }) => inThread(`Deno.writeTextFileSync("${directory}/made", "x"); parentPort.postMessage(1);`),
  ],
  ["connects", "the runtime's own function", ({ port }) => `(await Deno.connect({ port: ${port} })).close()`],
  ["connects", "node:net", ({ port }) =>
    `const { connect } = await import("node:net");
    await new Promise((resolve, reject) => connect(${port}, "127.0.0.1", resolve).on("error", reject));`],
  ["connects", "node:http", ({ port }) =>
    `const { get } = await import("node:http");
    await new Promise((resolve) => get("http://127.0.0.1:${port}/", resolve).on("error", resolve));`],
  [
    "connects",
    "fetch in a thread",
    ({ port }) => inThread(`await fetch("http://127.0.0.1:${port}/").catch(() => {}); parentPort.postMessage(1);`),
  ],
  [
    "connects",
    "a module from there",
    ({ port }) => `await import("http://127.0.0.1:${port}/module.js").catch(() => {})`,
  ],
  ["kills", "a signal", ({ victim }) => `Deno.kill(${victim}, "SIGKILL")`],
  [
    "kills",
    "a signal of node:process",
    ({ victim }) => `(await import("node:process")).default.kill(${victim}, "SIGKILL")`,
  ],
];

export const ESCAPES: readonly Escape[] = [
  ...READING.map(([title, code]) => ({ title, aim: "reads" as const, code })),
  ...OTHERS.map(([aim, title, code]) => ({ title, aim, code })),
];
