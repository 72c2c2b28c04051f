import assert from "node:assert/strict";
import fc from "fast-check";
import { writeProgram } from "../../src/sandbox/launcher/_support/write_program.ts";
import { exists } from "../../tests/_support/workbench.ts";
import { elfLayout } from "./elf_layout.ts";
import { embedProgram } from "./embed.ts";
import type { StartLine } from "./stub.ts";
import { STUB_ARM64 } from "./stub_arm64.ts";
import { STUB_X64 } from "./stub_x64.ts";

const NATIVE = Deno.build.arch === "aarch64" ? STUB_ARM64 : STUB_X64;
const CAN = Deno.build.os === "linux" && (exists("/usr/bin/gcc") || Deno.env.get("CI") === "true");
const WITHOUT = CAN ? "" : " (ignored: gcc is not installed)";

const PROGRAM = new TextEncoder().encode("the program\n");
const LINE: StartLine = {
  words: ["runtime", "run", "--flag", "/proc/self/fd/100"],
  sessionWords: ["runtime", "small", "/proc/self/fd/100"],
  sessionMarks: ["--session", "--session=ahead"],
  variables: ["OURS=1", "OURS_TOO="],
  rules: ["+KEEP_THIS=", "-KEEP_", "-DROP=", "!PLACE=", "=OTHER_PLACE=", "^HIDE="],
  fallback: "PLACE=none",
  memoryName: "program",
  descriptor: 100,
};

interface Made extends AsyncDisposable {
  readonly runtime: Uint8Array<ArrayBuffer>;
  readonly directory: string;
  /** The path of the executable. */
  readonly path: string;
}

async function made(): Promise<Made> {
  const directory = await Deno.makeTempDir();
  const source = new URL("stand_in.c", import.meta.url).pathname;
  const args = ["-O1", "-fPIC", "-pie", "-Wall", "-Werror", "-o", `${directory}/runtime`, source];
  const { stderr } = await new Deno.Command("gcc", { args }).output();
  assert.strictEqual(new TextDecoder().decode(stderr), "");
  const runtime = await Deno.readFile(`${directory}/runtime`);
  const path = `${directory}/executable`;
  await writeProgram(path, embedProgram(runtime, PROGRAM, { stub: NATIVE, line: LINE }));
  return { runtime, directory, path, [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }) };
}

interface Said {
  readonly code: number;
  readonly stderr: string;
  readonly facts: readonly string[];
}

async function run(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Said> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args: [...args], clearEnv: true, env }).output();
  const decoder = new TextDecoder();
  return { code, stderr: decoder.decode(stderr), facts: decoder.decode(stdout).split("\0").slice(0, -1) };
}

/** What the runtime in miniature must say, in any order of the user's variables. */
function expected(args: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  const words = LINE.sessionMarks.includes(args[0] ?? "") ? LINE.sessionWords : LINE.words;
  const kept = Object.entries(env).map(([name, value]) => `${name}=${value}`).filter((text) =>
    text.startsWith("KEEP_THIS=") || !text.startsWith("KEEP_") && !text.startsWith("DROP=") && text !== "PLACE="
  ).map((text) => text.replace(/^HIDE=/, "hIDE="));
  const fallback = env["PLACE"] || env["OTHER_PLACE"] ? [] : [LINE.fallback];
  return [
    ...[...words, ...args].map((word) => `word ${word}`),
    ...[...LINE.variables, ...kept, ...fallback].map((text) => `variable ${text}`),
    ...["program the program\n", "seals 15", "closed on exec 1", "writable 0"],
    ...["page 4096", "end"],
  ];
}

const WORD = fc.oneof(
  fc.constantFrom("--session", "--session=ahead", "--session=", "--sessio", "", "run", "-", "a b"),
  fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
);
const NAME = fc.oneof(
  fc.constantFrom(
    "KEEP_THIS",
    "KEEP_THIS_NOT",
    "KEEP_",
    "DROP",
    "DROPPED",
    "OURS",
    "PLACE",
    "OTHER_PLACE",
    "PLACES",
    "HIDE",
  ),
  fc.stringMatching(/^[A-Za-z_]{1,12}$/),
);

Deno.test({
  name: `D1 the stub hands over words, variables and the sealed program, whatever the user gives${WITHOUT}`,
  ignore: !CAN,
  fn: async () => {
    await using executable = await made();
    await fc.assert(
      fc.asyncProperty(
        fc.array(WORD, { maxLength: 6 }),
        fc.dictionary(NAME, fc.string().filter((text) => !text.includes("\0")), { maxKeys: 6 }),
        async (args, env) => {
          const { facts, ...rest } = await run(executable.path, args, env);
          const sorted = (texts: readonly string[]) => [...texts].sort();
          assert.deepStrictEqual(rest, { code: 7, stderr: "" });
          const said = facts.filter((fact) => !fact.startsWith("open "));
          assert.deepStrictEqual(sorted(said), sorted(expected(args, env)));
          const words = (texts: readonly string[]) => texts.filter((text) => text.startsWith("word "));
          assert.deepStrictEqual(words(facts), words(expected(args, env)));
        },
      ),
      { numRuns: 60 },
    );
  },
});

Deno.test({
  name: `D1 the stub gives the program the same descriptor where some are inherited, or none at all${WITHOUT}`,
  ignore: !CAN,
  fn: async () => {
    await using executable = await made();
    const open = async (path: string, line: string) => {
      const { facts } = await run("/bin/bash", ["-c", `exec ${line}`, path], {});
      return facts.filter((fact) => /^(open|seals)/.test(fact)).toSorted();
    };
    for (const line of ['"$0" 5</dev/null', '"$0" 5</dev/null 100</dev/null', '"$0" 0<&- 2>&-']) {
      const without = (await open(`${executable.directory}/runtime`, line)).filter((fact) => fact.startsWith("open"));
      const more = without.includes("open 100") ? [] : ["open 100"];
      assert.deepStrictEqual(await open(executable.path, line), [...without, ...more, "seals 15"].toSorted(), line);
    }
  },
});

Deno.test({
  name: `D1 the stub says in one line why it cannot start, with exit code 126${WITHOUT}`,
  ignore: !CAN,
  fn: async () => {
    await using executable = await made();
    const short = `${executable.directory}/short`;
    await writeProgram(short, (await Deno.readFile(executable.path)).slice(0, -1));
    assert.deepStrictEqual(await run(short, [], {}), {
      code: 126,
      stderr:
        "Cannot start ahma_mcp: its program text cannot be read to the end: the file is damaged, or memory is short\n",
      facts: [],
    });
    assert.deepStrictEqual(await run("/bin/sh", ["-c", 'ulimit -n 64; exec "$0"', executable.path], {}), {
      code: 126,
      stderr:
        "Cannot start ahma_mcp: no descriptor is free for its program text: raise the limit of open files (ulimit -n)\n",
      facts: [],
    });
  },
});

Deno.test({
  name: `D1 embedProgram() changes two headers of the runtime and adds to its end, the same each time${WITHOUT}`,
  ignore: !CAN,
  fn: async () => {
    await using executable = await made();
    const { runtime } = executable;
    const bytes = await Deno.readFile(executable.path);
    assert.deepStrictEqual(embedProgram(runtime, PROGRAM, { stub: NATIVE, line: LINE }), bytes);
    const { noteHeader } = elfLayout(runtime, NATIVE);
    const changed = [...runtime.keys()].filter((at) => runtime[at] !== bytes[at]);
    const entry = (at: number) => at >= 24 && at < 32;
    assert.ok(changed.length > 0);
    assert.deepStrictEqual(changed.filter((at) => !entry(at) && (at < noteHeader || at >= noteHeader + 56)), []);
    assert.deepStrictEqual(bytes.slice(-PROGRAM.length), PROGRAM);
  },
});

Deno.test({
  name: `D1 embedProgram() refuses a file of another layout, and never fails otherwise${WITHOUT}`,
  ignore: !CAN,
  fn: async () => {
    await using executable = await made();
    const { runtime } = executable;
    const refused = (bytes: Uint8Array, stub = NATIVE) => {
      try {
        embedProgram(bytes, PROGRAM, { stub, line: LINE });
        return "";
      } catch (thrown) {
        return String(thrown).replace("Error: Cannot embed a program in this runtime: ", "");
      }
    };
    const other = NATIVE === STUB_X64 ? STUB_ARM64 : STUB_X64;
    assert.strictEqual(refused(new TextEncoder().encode("#!/bin/sh\n".repeat(20))), "it is no ELF file");
    assert.strictEqual(refused(runtime, other), `it is for machine ${NATIVE.machine}, not ${other.machine}`);
    assert.strictEqual(refused(runtime.slice(0, 200)), "a place that it names lies outside of it");
    assert.match(refused(await Deno.readFile(executable.path)), /^it has no note|^a segment to load follows/);
    fc.assert(fc.property(
      fc.array(fc.tuple(fc.nat(1000), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      fc.option(fc.nat(runtime.length)),
      (changes, length) => {
        const bytes = runtime.slice(0, length ?? runtime.length);
        for (const [at, value] of changes) bytes[at] = value;
        assert.ok(!refused(bytes).includes("Error"), refused(bytes));
      },
    ));
  },
});
