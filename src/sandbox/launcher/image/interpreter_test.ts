import assert from "node:assert/strict";
import { assemble, ASSEMBLERS, installed } from "../_support/assemble.ts";
import { writeProgram } from "../_support/write_program.ts";
import { Branches, kept } from "./branches.ts";
import { buildImage } from "./image.ts";
import { LITTLE_ENDIAN } from "../../../system/c_library.ts";
import { ENTRY_BYTES, ENTRY_MODE, REPORT_FD } from "./interpreter.ts";
import { type Interpreter, INTERPRETERS } from "./interpreter_code.ts";
import { type Processor, SYSTEM_CALLS } from "../../../system/syscalls.ts";
import { Table } from "./table.ts";

const CI = Deno.env.get("CI") === "true";
const NATIVE: Processor = Deno.build.arch === "aarch64" ? "aarch64" : "x86_64";

interface Machine {
  readonly processor: Processor;
  readonly interpreter: Interpreter;
  /** Empty where the machine runs it itself. */
  readonly emulator: string;
  readonly kill: number;
}

const MACHINES: readonly Machine[] = [
  {
    processor: "x86_64",
    interpreter: INTERPRETERS.x86_64,
    emulator: NATIVE === "x86_64" ? "" : "qemu-x86_64",
    kill: 62,
  },
  {
    processor: "aarch64",
    interpreter: INTERPRETERS.aarch64,
    emulator: NATIVE === "aarch64" ? "" : "qemu-aarch64",
    kill: 129,
  },
];

interface Report {
  readonly mode: number;
  readonly argument: number;
  readonly expected: number;
  readonly step: number;
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly reports: readonly Report[];
}

async function run(machine: Machine, table: Table): Promise<Ran> {
  const path = await Deno.makeTempFile();
  try {
    await writeProgram(path, buildImage(table, machine.interpreter));
    const [program, ...args] = machine.emulator === "" ? [path] : [machine.emulator, path];
    const { code, stdout, stderr } = await new Deno.Command(program ?? path, { args }).output();
    const reports = [];
    for (let at = 0; at + ENTRY_BYTES <= stderr.length; at += ENTRY_BYTES) {
      const view = new DataView(stderr.buffer, stderr.byteOffset + at);
      reports.push({
        mode: view.getUint32(64, LITTLE_ENDIAN),
        argument: view.getUint32(8, LITTLE_ENDIAN),
        expected: view.getUint32(72, LITTLE_ENDIAN),
        step: view.getUint32(80, LITTLE_ENDIAN),
      });
    }
    return { code, stdout: new TextDecoder().decode(stdout), reports };
  } finally {
    await Deno.remove(path);
  }
}

function started(machine: Machine): { table: Table; sys: typeof SYSTEM_CALLS["x86_64"] } {
  const table = new Table();
  const sys = SYSTEM_CALLS[machine.processor];
  table.call("report", sys.dup3, [2, REPORT_FD, 0x80000]);
  return { table, sys };
}

function say(table: Table, sys: typeof SYSTEM_CALLS["x86_64"], text: string): void {
  table.call(`say ${text}`, sys.write, [1, table.text(text), text.length]);
}

for (const machine of MACHINES) {
  const can = CI || installed(machine.emulator);
  const suffix = can ? "" : ` (ignored: ${machine.emulator} is not installed)`;
  const assembler = ASSEMBLERS[machine.processor];
  const hasAssembler = CI || installed(assembler.program);

  Deno.test({
    name: `S3 INTERPRETERS.code() for ${machine.processor} is what its source assembles to${
      hasAssembler ? "" : ` (ignored: ${assembler.program} is not installed)`
    }`,
    ignore: !hasAssembler,
    fn: async () => {
      const code = machine.interpreter.code();
      const sources = machine.interpreter.listing.split("\n").map((line) => line.replace(/^[0-9a-f]+ +/, ""));
      const assembled = await assemble(sources.filter((line) => !line.startsWith("#")), assembler);
      assert.deepStrictEqual(assembled.slice(0, code.length).toHex(), code.toHex());
    },
  });

  Deno.test({
    name: `S3 interpreter for ${machine.processor} makes each call in order${suffix}`,
    ignore: !can,
    fn: async () => {
      const { table, sys } = started(machine);
      say(table, sys, "one ");
      say(table, sys, "two");
      table.call("end", sys.exit_group, [7]);
      assert.deepStrictEqual(await run(machine, table), { code: 7, stdout: "one two", reports: [] });
    },
  });

  Deno.test({
    name: `S3 interpreter for ${machine.processor} stops at a fatal error with a report and exit 126${suffix}`,
    ignore: !can,
    fn: async () => {
      const { table, sys } = started(machine);
      table.call("open", sys.openat, [-100, table.text("/no/such/file"), 0, 0], { mode: "soft" });
      say(table, sys, "went on");
      table.call("open again", sys.openat, [-100, table.text("/no/such/file"), 0, 0]);
      say(table, sys, "not reached");
      assert.deepStrictEqual(await run(machine, table), {
        code: 126,
        stdout: "went on",
        reports: [{ mode: ENTRY_MODE.failed, argument: 2, expected: 0, step: 3 }],
      });
    },
  });

  Deno.test({
    name: `S4 interpreter for ${machine.processor} compares results and memory with what is expected${suffix}`,
    ignore: !can,
    fn: async () => {
      const { table, sys } = started(machine);
      const text = table.text("ab");
      table.call("length", sys.write, [1, text, 2], { mode: "equals", expect: 2 });
      const word = table.words(0xffff_ffff_ffff_fffen);
      table.call("word", 0, [word], { mode: "compare", expect: 0xffff_ffff_ffff_fffen });
      table.call("other word", 0, [word], { mode: "compare", expect: 1n });
      table.call("end", sys.exit_group, [0]);
      assert.deepStrictEqual(await run(machine, table), {
        code: 126,
        stdout: "ab",
        reports: [{ mode: ENTRY_MODE.failed, argument: 116, expected: 1, step: 3 }],
      });
    },
  });

  Deno.test({
    name: `S3 interpreter for ${machine.processor} hands a result to a later entry${suffix}`,
    ignore: !can,
    fn: async () => {
      const { table, sys } = started(machine);
      const opened = table.call("open", sys.openat, [-100, table.text("/dev/null"), 1, 0]);
      const written = table.call("write", sys.write, [-1, table.text("x"), 1], { mode: "equals", expect: 1 });
      table.passOn(opened, written);
      table.call("end", sys.exit_group, [0]);
      assert.deepStrictEqual(await run(machine, table), { code: 0, stdout: "", reports: [] });
    },
  });

  Deno.test({
    name: `S3 interpreter for ${machine.processor} keeps an error as a result, and jumps by what is in memory${suffix}`,
    ignore: !can,
    fn: async () => {
      const { table, sys } = started(machine);
      const branches = new Branches(table);
      const error = kept({ table, sys }, "open", sys.openat, [-100, table.text("/no/such/file"), 0, 0]);
      const word = table.words(0x12_0000_0034n);
      branches.place("again");
      branches.jump("bad", { word: error, isNot: 0xffff_fffe });
      branches.jump("bad", { word, is: 0x35 });
      branches.jump("on", { word, mask: 0xff_0000_0000n, is: 0x12_0000_0000n });
      branches.place("bad");
      table.call("end", sys.exit_group, [1]);
      branches.place("on");
      say(table, sys, ".");
      const length = table.words(0);
      const count = table.call("count", sys.write, [1, table.text("..."), 3]);
      table.send(count, length);
      branches.jump("again", { word: length, isNot: 3 });
      table.call("end", sys.exit_group, [4]);
      branches.resolve();
      assert.deepStrictEqual(await run(machine, table), { code: 4, stdout: "....", reports: [] });
    },
  });

  for (const [how, code] of [["exit", 5], ["signal", 128 + 15]] as const) {
    Deno.test({
      name: `X10 interpreter for ${machine.processor} waits for its fork and passes on its ${how}${suffix}`,
      ignore: !can,
      fn: async () => {
        const { table, sys } = started(machine);
        table.call("fork", sys.clone, [17, 0, 0, 0, 0], { mode: "fork" });
        say(table, sys, "child");
        const pid = table.call("own id", sys.getpid, []);
        if (how === "signal") {
          const kill = table.call("end itself", machine.kill, [0, 15]);
          table.passOn(pid, kill);
        }
        table.call("end", sys.exit_group, [5]);
        const { reports, ...rest } = await run(machine, table);
        assert.deepStrictEqual(rest, { code, stdout: "child" });
        assert.deepStrictEqual(reports.map(({ mode }) => mode), [ENTRY_MODE.fork]);
      },
    });
  }

  Deno.test({
    name: `X10 interpreter for ${machine.processor} stays until the last of a forkAll has ended${suffix}`,
    ignore: !can,
    fn: async () => {
      const { table, sys } = started(machine);
      table.call("adopt orphans", sys.prctl, [36, 1, 0, 0, 0], { mode: "soft" }); // qemu does not know it
      table.call("fork", sys.clone, [17, 0, 0, 0, 0], { mode: "forkAll" });
      // The child forks once more and its own child ends first, then it ends with 3.
      table.call("fork again", sys.clone, [17, 0, 0, 0, 0], { mode: "fork" });
      table.call("end", sys.exit_group, [3]);
      const { code, reports } = await run(machine, table);
      assert.deepStrictEqual([code, reports.map(({ mode }) => mode).sort()], [
        3,
        [ENTRY_MODE.fork, ENTRY_MODE.forkAll, ENTRY_MODE.ended],
      ]);
      // The last report of the command says that nothing else was left then.
      assert.deepStrictEqual(reports.find(({ mode }) => mode === ENTRY_MODE.ended)?.expected, 1);
    },
  });
}
