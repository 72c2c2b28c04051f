/** Attacks of scripts on what lies between them and the server, in groups with the harmless act that is their control. */

/** Writes frames past the bridge's own functions. */
const FRAMES = `const raw = (...parts) => {
  const bytes = new Uint8Array(parts.flatMap((part) => [...part]));
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
};
const frame = (body, size) => {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const header = new DataView(new ArrayBuffer(4));
  header.setUint32(0, size ?? bytes.length);
  return [...new Uint8Array(header.buffer), ...bytes];
};
const message = (value) => frame(JSON.stringify(value));
const call = (args, name = "files_write", id = 1) => message({ kind: "call", id, name, args });
const forever = () => new Promise(() => {});
const soon = () => new Promise((resolve) => setTimeout(resolve, 300));
`;
const READ = `(await tools.files_read({ path: "kept.txt", line_numbers: false })).text`;
const UNKNOWN = /failed, [^:]+: The script wrote a message of no known kind\]$/;
const GONE = /failed, [^:]+: The process of the script is gone: /;
const REFUSED = /"isError":true/;

/** A script, and the text that its result must match. */
type Row = readonly [title: string, code: string, seen: RegExp];

export interface AttackGroup {
  readonly title: string;
  /** The harmless act with the same means: it has its effect. */
  readonly control: Row;
  readonly rows: readonly Row[];
  /** Ends of calls and of what is between them, which one script tries one after the other. */
  readonly within?: readonly Row[];
  /** Each goes on without an end, until it is cancelled; its title has the reason. */
  readonly endless?: readonly (readonly [title: string, code: string])[];
  /** Each takes much memory: one after the other. */
  readonly isLarge?: true;
}

/** One script that tries all of them; its value is a list of their values as JSON, or of why each failed. */
export function within(rows: readonly Row[]): string {
  const attempts = rows.map(([, code]) => `async () => {${code}\n}`);
  return `const seen = [];
    for (const attempt of [${attempts.join(",\n")}]) {
      try { seen.push(JSON.stringify(await attempt())); } catch (error) { seen.push("failed: " + error.message); }
    }
    return seen`;
}

function forged(title: string, code: string, seen: RegExp): Row {
  return [title, `${FRAMES}${code}`, seen];
}

const frames: AttackGroup = {
  title: "forged messages",
  control: forged(
    "a forged call is a call of the script, and no more",
    `raw(call({ path: "by-control.txt", content: "x" })); await soon(); return 1`,
    /^1\n\[script: 1 call, /,
  ),
  rows: [
    forged(
      "lines like the server's, with a call and a second end behind the end",
      `raw(message({ kind: "end", value: "1\\n[script: 99 calls, 9 characters of answers]" }),
        call({ path: "forged.txt", content: "x" }), message({ kind: "end", value: "2" }));
      await forever()`,
      /^1\n[^]*look like the server's were written by the command\.\]\n\[script: 0 calls, /,
    ),
    forged(
      "a length of 4 GiB",
      "raw(frame('x', 0xffffffff)); await forever()",
      /A message of 2147483647 bytes is too long/,
    ),
    forged("a message cut short", "raw([0, 0]); return 5", /Unexpected end of JSON input/),
    forged("brackets 100,000 deep", "raw(frame('['.repeat(1e5) + ']'.repeat(1e5))); await forever()", UNKNOWN),
    forged(
      "five calls of one id, one of an id beyond all numbers, and one with an argument 100,000 deep",
      // The script's own call has another id.
      `for (let n = 0; n < 5; n++) raw(call({ path: "kept.txt" }, "files_read", 77));
      raw(frame('{"kind":"call","id":1e999,"name":"files_read","args":{}}'));
      raw(frame('{"kind":"call","id":78,"name":"files_read","args":{"path":' + "[".repeat(1e5) + "]".repeat(1e5) + "}}"));
      return ${READ}`,
      /kept[^\n]*\n\[script: 8 calls/,
    ),
  ],
};

const args: AttackGroup = {
  title: "names, arguments and answers",
  control: ["a plain call", `return ${READ}`, /kept/],
  within: [
    [
      "names of prototypes",
      `const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "", "\\0", "files_read\\0", "../files_read"];
      return (await Promise.all(names.map((name) => tools[name]()))).every(({ text }) => text.startsWith("Unknown tool"))`,
      /^true$/,
    ],
    ["a name of 200,000 characters", `return (await tools["x".repeat(2e5)]()).text.length < 500`, /^true$/],
    [
      "itself, and the tools that hide tools",
      `return (await Promise.all(["run_script", "call_tool", "find_tools"].map((name) => tools[name]()))).map(({ isError }) => isError)`,
      /^\[true,true,true\]$/,
    ],
    [
      "an own member __proto__",
      `return await tools.files_write(JSON.parse('{"path":"forged.txt","content":"x","__proto__":{"isError":true}}'))`,
      REFUSED,
    ],
    [
      "a member constructor",
      `return await tools.files_write(JSON.parse('{"path":"forged.txt","content":"x","constructor":{"prototype":{}}}'))`,
      REFUSED,
    ],
    [
      "a text that another text stands for",
      `return (await tools.files_read({ path: { toString: () => "kept.txt" } })).text`,
      /expected/,
    ],
    ["a getter", `let n = 0; await tools.files_read({ get path() { n++; return "kept.txt"; } }); return n`, /^1$/],
    [
      "a proxy",
      `return await tools.files_read(new Proxy({}, { ownKeys() { throw new Error("trap"); } }))`,
      /^failed: trap$/,
    ],
    ["a number without an end", "return await tools.files_read({ path: 1n })", /^failed: .*BigInt/],
    ["a circle", "const a = {}; a.a = a; return await tools.files_read(a)", /^failed: .*circular/],
    ["calls without an end", "const f = () => f() + 1; return f()", /^failed: Maximum call stack/],
    ["no object", `return await tools.files_read("kept.txt")`, /^failed: .*takes its arguments as one object/],
    ["half a character", `return await tools.files_read({ path: "\\ud800" })`, REFUSED],
    [
      "60 wrong calls, which keep no place",
      `await Promise.all(Array.from({ length: 60 }, () => tools.none())); return ${READ}`,
      /kept/,
    ],
    [
      "an answer of a megabyte",
      `const { text } = await tools.files_read({ path: "large.bin", encoding: "base64" }); return text.length`,
      /^26\d{4}$/,
    ],
    [
      "prototypes of the script itself",
      `Object.prototype.isError = true; return ${READ}`,
      /kept/,
    ],
  ],
  rows: [
    ["a name with hidden characters", `return (await tools["files\\u202eread"]()).text`, /Unknown tool[^\n]*u202e/],
    [
      "answers without an end",
      `let last; for (let n = 0; n < 40; n++) last = await tools.files_read({ path: "large.bin", encoding: "base64" }); return last.text`,
      /at most 8388608 characters/,
    ],
  ],
};

const values: AttackGroup = {
  title: "values and errors",
  control: ["a plain value", `return { a: [1, "b"] }`, /^\{"a":\[1,"b"\]\}\n/],
  rows: [
    [
      "a trap that throws a message that is no text",
      `const message = { toString: () => "x".repeat(1e6) };
      return new Proxy({}, { ownKeys() { throw Object.assign(new Error(), { message }); } })`,
      /x{100}…\]$/,
    ],
    ["a list 200,000 deep", "let a = []; for (let n = 0; n < 2e5; n++) a = [a]; return a", /too long|call stack/],
    [
      "promises in promises with all tools, and hidden characters in a value and on the console",
      `console.log("a\\u202eb\\u{e0041}\\x1b[31mc");
      const value = [tools, () => 1, Symbol.iterator, undefined, "a\\u202eb\\u{e0041}\\x1b[31m"];
      return { then(done) { done({ then: (next) => next(value) }); } }`,
      /^abc\n\[\{\},null,null,null,"a\\u202eb\\udb40\\udc41\\u001b\[31m"\]\n/,
    ],
    [
      "a listener before ours, and an error that is a proxy",
      `addEventListener("unhandledrejection", (event) => event.stopImmediatePropagation());
      Promise.reject(new Proxy(new Error(), { get() { throw 1; } })); await new Promise(() => {})`,
      /threw a value without a text/,
    ],
    [
      "an error of a timer, without a text",
      "setTimeout(() => { throw { toString() { throw 1; } }; }); await new Promise(() => {})",
      /threw a value without a text/,
    ],
    [
      "a console of objects that throw nothing as an error",
      `console.log({ [Symbol.for("Deno.customInspect")]() { throw undefined; } })`,
      /failed, [^:]+: undefined\]$/,
    ],
    ["the end of the wrapper", "}); globalThis.x = 1; (async () => { return 7", /^\[no output|^\[script: 0 calls/],
  ],
};

const ends: AttackGroup = {
  title: "ends of the process",
  control: ["a process that goes on", "await new Promise((resolve) => setTimeout(resolve, 100)); return 1", /^1\n/],
  rows: [
    ["an exit", "Deno.exit(0)", /gone: It ended with exit code 0\./],
    ["an abort", `(await import("node:process")).default.abort()`, /gone: It was ended by SIGABRT\./],
    ["stdout closed", "Deno.stdout.close()", GONE],
    ["stdin closed", "Deno.stdin.close(); return await tools.status()", /operation canceled/],
    ["brackets 200,000 deep as code", `return ${"(".repeat(200_000)}1${")".repeat(200_000)}`, GONE],
  ],
  endless: [
    [
      "signals that are caught in a wait for memory that none wakes",
      `Deno.addSignalListener("SIGTERM", () => {}); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`,
    ],
    ["a pattern without an end in a getter", `return { get a() { return /^(a+)+$/.test("a".repeat(50) + "b"); } }`],
    ["microtasks without an end", "const f = () => queueMicrotask(f); f(); await new Promise(() => {})"],
  ],
};

const memory: AttackGroup = {
  title: "memory",
  isLarge: true,
  control: ["60 MB", "return new Uint8Array(6e7).fill(1).length", /^60000000\n/],
  rows: [
    ["lists", "const all = []; for (;;) all.push(Array(1e6).fill(all.length));", GONE],
    [
      "memory of WebAssembly",
      "const all = []; for (;;) { const { buffer } = new WebAssembly.Memory({ initial: 1000 }); all.push(new Uint8Array(buffer).fill(1)); }",
      /could not allocate|gone/,
    ],
    [
      "shared memory",
      "const all = []; for (;;) all.push(new Uint8Array(new SharedArrayBuffer(6e7)).fill(1))",
      /allocation failed|gone/,
    ],
    ["blobs", "const all = []; for (;;) all.push(new Blob([new Uint8Array(5e7)]))", GONE],
    [
      "threads",
      `const { Worker } = await import("node:worker_threads"); for (let n = 0; n < 3000; n++) new Worker("setInterval(() => {}, 1000)", { eval: true }).on("error", () => {}); await new Promise(() => {})`,
      /gone|time limit/,
    ],
  ],
};

export const ATTACKS: readonly AttackGroup[] = [frames, args, values, ends, memory];
