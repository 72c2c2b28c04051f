/**
 * Whatever text a client sends arrives in the program's argv, environment, file or standard input byte for byte: the
 * whole way through a client, the server, the sandbox and the kernel.
 */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { ServerProcess } from "./_support/server_process.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { Workbench } from "./_support/workbench.ts";

/** The kernel's limit for one word of argv, without its closing NUL. */
const LONGEST_WORD_BYTES = 131_071;

/** Writes what it was given to files: its words, each closed by NUL, the text of the file argument, a variable, stdin. */
const PROGRAM = `#!/bin/sh
: > words
previous=
for word; do
  if [ "$previous" = --from-file ]; then cat "$word" > file && word=FILE; fi
  printf '%s\\0' "$word" >> words
  previous=$word
done
printf '%s' "$SECRET" > variable
cat > stdin
`;

const FIELDS = {
  options: [
    { name: "text", description: "Long flag" },
    { name: "list", description: "Repeated flag", type: "array" },
    { name: "short", description: "Short flag", alias: "s" },
    { name: "shorts", description: "Repeated short flag", alias: "S", type: "array" },
    { name: "joined", description: "One word", joined: true },
    { name: "message", description: "In a file", file_arg: true, file_flag: "--from-file" },
    { name: "secret", description: "In a variable", env: "SECRET" },
  ],
  positional_args: [
    { name: "first", description: "First", required: true },
    { name: "rest", description: "Others", type: "array" },
  ],
  allow_stdin: true,
};
const TOOL = {
  name: "probe",
  description: "Keeps what it was given.",
  command: "./probe",
  synchronous: true,
  subcommand: [
    { name: "guarded", argv: [], description: "With --", ...FIELDS, end_of_options: true },
    { name: "open", argv: [], description: "Without --", ...FIELDS },
  ],
};

/** A call's arguments. */
interface Given {
  readonly text?: string;
  readonly list?: readonly string[];
  readonly short?: string;
  readonly shorts?: readonly string[];
  readonly joined?: string;
  readonly message?: string;
  readonly secret?: string;
  readonly first: string;
  readonly rest?: readonly string[];
  readonly stdin?: string;
}

/** What the program must have been given, by requirement T7. */
function wordsFor(given: Given, guarded: boolean): readonly string[] {
  return [
    ...(given.text === undefined ? [] : ["--text", given.text]),
    ...(given.list ?? []).flatMap((element) => ["--list", element]),
    ...(given.short === undefined ? [] : ["-s", given.short]),
    ...(given.shorts ?? []).flatMap((element) => ["-S", element]),
    ...(given.joined === undefined ? [] : [`--joined=${given.joined}`]),
    ...(given.message === undefined ? [] : ["--from-file", "FILE"]),
    ...(guarded ? ["--"] : []),
    given.first,
    ...(given.rest ?? []),
  ];
}

class Probe implements AsyncDisposable {
  readonly #bench: Workbench;
  readonly #server: ServerProcess;
  readonly #client: Client;

  private constructor(bench: Workbench, server: ServerProcess, client: Client) {
    this.#bench = bench;
    this.#server = server;
    this.#client = client;
  }

  static async start(): Promise<Probe> {
    const bench = new Workbench();
    await Deno.chmod(bench.write("probe", PROGRAM), 0o755);
    bench.write("tools/probe.json", JSON.stringify(TOOL));
    const flags = ["--tools-dir", `${bench.scope}/tools`];
    const server = await ServerProcess.start(bench, { flags, era: "none" });
    return new Probe(bench, server, await connectClient(server, "2025-11-25"));
  }

  /** The text of an error result; empty when it went well. */
  async call(leaf: "guarded" | "open", given: Given): Promise<string> {
    const { content, isError } = await this.#client.callTool({ name: `probe_${leaf}`, arguments: { ...given } });
    return isError === true ? JSON.stringify(content) : "";
  }

  /** Calls and compares everything the program kept. */
  async arrives(leaf: "guarded" | "open", given: Given): Promise<void> {
    await Deno.writeTextFile(`${this.#bench.scope}/file`, "");
    assert.equal(await this.call(leaf, given), "");
    assert.deepStrictEqual(
      await this.#kept("words"),
      wordsFor(given, leaf === "guarded").map((word) => `${word}\0`).join(""),
    );
    assert.deepStrictEqual(
      [await this.#kept("file"), await this.#kept("variable"), await this.#kept("stdin")],
      [given.message ?? "", given.secret ?? "", given.stdin ?? ""],
    );
  }

  /** Decoded strictly, so that equal texts are equal bytes. */
  async #kept(name: string): Promise<string> {
    const bytes = await Deno.readFile(`${this.#bench.scope}/${name}`);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
    await this.#server[Symbol.asyncDispose]();
    this.#bench[Symbol.dispose]();
  }
}

const NASTY = [
  "",
  " ",
  "a b",
  "\n",
  "one\ntwo\n\n",
  "\r\n\t\v\f\b\u001b[31m\u007f",
  "'",
  '"',
  'it\'s "so"',
  "\\",
  "\\n\\0\\x41",
  "$HOME ${HOME} $(id) `id`",
  "; id & | && || > x < y",
  "* ? [a-z] {a,b} ~ ~root !! !x",
  "%s%d%n",
  "-",
  "--",
  "-rf",
  "--text",
  "--text=x",
  "=",
  "#",
  "\uFEFF",
  "\u00e9 e\u0301 \u{1F4E6} \u202e \u0600 \uffff",
  "{{x}} ${{x}} %PATH%",
];

/** Any text without NUL, which no word can hold. */
const word = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }))
  .map((text) => text.replaceAll("\0", "0"));
const words = fc.array(word, { maxLength: 4 });
const anyText = fc.oneof(word, fc.string({ unit: "binary" }));
const given = fc.record({
  text: word,
  list: words,
  short: word,
  shorts: words,
  joined: word,
  message: anyText,
  secret: word,
  first: word,
  rest: words,
  stdin: anyText,
}, { requiredKeys: ["first"] });

/** `bytes` bytes of text in which every kind of byte length occurs. */
function textOf(bytes: number): string {
  const unit = "a\u00e9\u20ac\u{1F4E6}'\"\n";
  const size = new TextEncoder().encode(unit).length;
  return unit.repeat(Math.floor(bytes / size)) + "x".repeat(bytes % size);
}

Deno.test("T7 what a client sends arrives byte for byte, or is refused with the reason", async (t) => {
  await using probe = await Probe.start();
  await t.step(
    "any text arrives byte for byte in options, lists, aliases, positionals, files, variables and stdin",
    async () => {
      for (const nasty of NASTY) {
        const all = { text: nasty, list: [nasty, nasty], short: nasty, shorts: [nasty], joined: nasty };
        const rest = { message: nasty, secret: nasty, first: nasty, rest: [nasty, ""], stdin: nasty };
        await probe.arrives("guarded", { ...all, ...rest });
      }
      await fc.assert(fc.asyncProperty(given, (one) => probe.arrives("guarded", one)), { numRuns: 10 });
    },
  );

  await t.step(
    "without -- a positional argument that looks like an option is refused, and any other arrives",
    async () => {
      await fc.assert(
        fc.asyncProperty(given, async (one) => {
          const refused = [one.first, ...one.rest ?? []].some((text) => text.startsWith("-") && text !== "-");
          if (!refused) return await probe.arrives("open", one);
          assert.match(await probe.call("open", one), /which the program would take for an option/);
        }),
        { numRuns: 10 },
      );
    },
  );

  await t.step("a word of the kernel's limit arrives, one byte more is refused with the remedy", async () => {
    const longest = textOf(LONGEST_WORD_BYTES);
    for (const name of ["text", "short", "first"] as const) {
      await probe.arrives("guarded", { first: "x", [name]: longest });
      const refusal = await probe.call("guarded", { first: "x", [name]: `${longest}x` });
      assert.match(refusal, new RegExp(`"${name}\\W+ has 131072 bytes, at most 131071 can be passed`));
    }
    for (const name of ["list", "shorts", "rest"] as const) {
      await probe.arrives("guarded", { first: "x", [name]: [longest, "y", longest] });
    }
    await probe.arrives("guarded", { first: "x", joined: textOf(LONGEST_WORD_BYTES - "--joined=".length) });
    await probe.arrives("guarded", { first: "x", secret: textOf(LONGEST_WORD_BYTES - "SECRET=".length) });
  });

  await t.step("a text of 1 MiB arrives through a file argument and through stdin, NUL included", async () => {
    const text = `\0${textOf(1_048_575)}`;
    await probe.arrives("guarded", { first: "x", message: text, stdin: text });
  });
});
