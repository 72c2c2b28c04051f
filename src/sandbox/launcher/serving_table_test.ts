import assert from "node:assert/strict";
import { installed } from "./_support/assemble.ts";
import { POLICY } from "./_support/policy.ts";
import { writeProgram } from "./_support/write_program.ts";
import { buildImage, placementOf } from "./image/image.ts";
import { ENDED, ENTRY_BYTES, ENTRY_MODE, FRAME_HEADER_BYTES, OUTPUT_FRAME, REPORT_FD } from "./image/interpreter.ts";
import { INTERPRETERS } from "./image/interpreter_code.ts";
import { Table } from "./image/table.ts";
import { LITTLE_ENDIAN } from "../../system/c_library.ts";
import { O_CLOEXEC, O_PATH, OPEN_FLAGS, type Processor, SYSTEM_CALLS } from "../../system/syscalls.ts";
import type { LaunchTarget } from "./policy_table.ts";
import { canServe, serveBlocks, servedBlock, type ServingTable, servingTable } from "./serving_table.ts";
import { blockSignals } from "./steps/serve_steps.ts";

const CI = Deno.env.get("CI") === "true";
const TARGET: LaunchTarget = { processor: Deno.build.arch, serverPid: Deno.pid };
const ENVIRONMENT = ["A=b", "PATH=/usr/bin:/bin"];

/**
 * The loop of a serving launcher alone: no namespaces, so that it adopts orphans. `opened`: descriptors that are left open
 * before it, as grants leave them.
 */
function loop(processor: Processor, opened = 0): ServingTable {
  const table = new Table();
  const sys = SYSTEM_CALLS[processor];
  const target = { processor, serverPid: Deno.pid };
  const draft = { table, sys, open: OPEN_FLAGS[processor], target };
  table.call("report", sys.dup3, [1, REPORT_FD, 0x80000]);
  table.call("adopt orphans", sys.prctl, [36, 1, 0, 0, 0], { mode: "soft" }); // qemu does not know it
  blockSignals(draft);
  for (let index = 0; index < opened; index++) {
    table.call("open a grant", sys.openat, [-100, table.text("/"), O_PATH | O_CLOEXEC, 0]);
  }
  const { room, variables } = serveBlocks(draft, {
    environment: ENVIRONMENT,
    findLeftovers: () => {},
    landlock: false,
  });
  const { data } = placementOf(table);
  return { table, processor, room: data(room.offset), environment: data(variables.offset) };
}

function block(serving: ServingTable, line: string, environment?: readonly string[]): Uint8Array<ArrayBuffer> {
  const argv = ["sh", "-c", line];
  const made = servedBlock(serving, { programs: ["/nowhere/sh", "/bin/sh"], argv, environment, directory: "/" });
  return made?.bytes ?? new Uint8Array();
}

/** What a launcher said of a command: the output, then status and flag of its end; or a failed step. */
type Said = { output: string; status: number; left: number } | { failed: number };

function decode(bytes: Uint8Array): readonly Said[] {
  const said: Said[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let output = "";
  for (let at = 0; at < bytes.length;) {
    if (view.getBigUint64(at, LITTLE_ENDIAN) === OUTPUT_FRAME) {
      const from = at + FRAME_HEADER_BYTES;
      at = from + view.getUint32(at + 8, LITTLE_ENDIAN);
      output += new TextDecoder().decode(bytes.subarray(from, at));
      continue;
    }
    const word = (offset: number) => view.getUint32(at + offset, LITTLE_ENDIAN);
    if (word(64) === ENTRY_MODE.failed) said.push({ failed: word(8) });
    else said.push({ output, status: word(16), left: word(72) });
    output = "";
    at += ENTRY_BYTES;
  }
  // Where others are left, output may come after the end.
  const last = said.at(-1);
  if (last !== undefined && "output" in last && last.left !== ENDED.clean) last.output += output;
  return said;
}

/** A launcher that is told `blocks`, each when the one before has ended or nothing more comes, and then nothing more. */
async function serve(
  path: string,
  emulator: string,
  blocks: readonly Uint8Array<ArrayBuffer>[],
  onSaid: (said: readonly Said[]) => void = () => {},
): Promise<readonly Said[]> {
  const [program, args] = emulator === "" ? [path, []] : [emulator, [path]];
  const child = new Deno.Command(program, { args, stdin: "piped", stdout: "piped", stderr: "null" }).spawn();
  const writer = child.stdin.getWriter();
  let all = new Uint8Array();
  const said = () => decode(all);
  const reader = child.stdout.getReader();
  for (const [index, one] of blocks.entries()) {
    await writer.write(one);
    if (index === blocks.length - 1) break;
    while (said().length <= index) {
      const { value } = await reader.read();
      if (value === undefined) return said();
      all = new Uint8Array([...all, ...value]);
    }
  }
  await writer.close();
  onSaid(said()); // all of it may have come already
  for (let part = await reader.read(); part.value !== undefined; part = await reader.read()) {
    all = new Uint8Array([...all, ...part.value]);
    onSaid(said());
  }
  await child.status;
  return said();
}

async function withImage(serving: ServingTable, use: (path: string) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempFile();
  try {
    await writeProgram(path, buildImage(serving.table, INTERPRETERS[serving.processor]));
    await use(path);
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("P1 a serving launcher takes commands however many descriptors grants left open", async () => {
  for (let opened = 50; opened <= 66; opened++) {
    const serving = loop(Deno.build.arch, opened);
    await withImage(serving, async (path) => {
      const said = await serve(path, "", [block(serving, "echo hi"), block(serving, "echo /proc/self/fd/*")]);
      // It then fails to read a further one.
      assert.deepStrictEqual(said.slice(0, 2), [
        { output: "hi\n", status: 0, left: ENDED.clean },
        { output: `${[0, 1, 2, 3].map((fd) => `/proc/self/fd/${fd}`).join(" ")}\n`, status: 0, left: ENDED.clean },
      ], `${opened} descriptors`);
    });
  }
});

for (const processor of ["x86_64", "aarch64"] as const) {
  const emulator = processor === Deno.build.arch ? "" : `qemu-${processor}`;
  const can = CI || installed(emulator);
  Deno.test({
    name: `P1 a serving launcher for ${processor} runs one command after the other, each with an output of its own` +
      (can ? "" : ` (ignored: ${emulator} is not installed)`),
    ignore: !can,
    fn: () => {
      const serving = loop(processor);
      return withImage(serving, async (path) => {
        // An orphan that is not adopted is not seen, but the output that it holds is.
        const left = emulator === "" ? ENDED.withOthers : ENDED.alone;
        const missing = servedBlock(serving, {
          programs: ["/no"],
          argv: ["no"],
          environment: undefined,
          directory: "/",
        });
        // No opening of a pipe that is open both ways waits for the other.
        await new Deno.Command("mkfifo", { args: [`${path}.pipe`] }).output();
        using pipe = await Deno.open(`${path}.pipe`, { read: true, write: true });
        const said = await serve(path, emulator, [
          block(serving, "echo $A; echo two >&2; cat"),
          block(serving, "kill -9 $$"),
          missing?.bytes ?? new Uint8Array(),
          block(serving, "exec >&- 2>&-; exit 3"),
          block(serving, "echo $A", ["A=c"]),
          block(serving, `{ read word; } < ${path}.pipe & echo now`),
          block(serving, "echo never"),
        ], (said) => said.length === 7 && pipe.writeSync(new TextEncoder().encode("word\n")));
        await Deno.remove(`${path}.pipe`);
        assert.deepStrictEqual(
          said,
          [
            { output: "b\ntwo\n", status: 0, left: ENDED.clean },
            { output: "", status: 9, left: ENDED.clean },
            { failed: 2 },
            { output: "", status: 126 << 8, left: ENDED.clean },
            { output: "", status: 3 << 8, left: ENDED.clean },
            { output: "c\n", status: 0, left: ENDED.clean },
            { output: "now\n", status: 0, left },
          ],
        );
      });
    },
  });
}

Deno.test("X7 a serving launcher passes on every byte of a large output, whatever it holds", () => {
  const serving = loop(Deno.build.arch);
  return withImage(serving, async (path) => {
    // What a command writes looks like a frame, and like the report of an end.
    const forged = "output\\0\\0\\20\\0\\0\\0\\0\\0\\0\\0".repeat(3) + "\\0".repeat(64) + "\\6" + "\\0".repeat(23);
    const [forging, large] = await serve(path, "", [
      block(serving, `printf '${forged}'; echo on`),
      block(serving, "seq 1 50000"),
    ]);
    assert.ok(forging !== undefined && "output" in forging && large !== undefined && "output" in large);
    assert.strictEqual(forging.output.length, 3 * 16 + 64 + 24 + 3);
    const expected = Array.from({ length: 50_000 }, (_, index) => `${index + 1}\n`).join("");
    assert.ok(large.output === expected && large.left === ENDED.clean);
  });
});

Deno.test("S3 a serving launcher that is told a block that ends at any byte runs nothing of it", () => {
  const serving = loop(Deno.build.arch);
  const served = servedBlock(serving, {
    programs: ["/bin/pwd"],
    argv: ["pwd"],
    environment: undefined,
    directory: "/",
  });
  const whole = served?.bytes ?? new Uint8Array();
  return withImage(serving, async (path) => {
    assert.deepStrictEqual((await serve(path, "", [whole]))[0], { output: "/\n", status: 0, left: ENDED.clean });
    const cuts = Array.from({ length: whole.length }, (_, index) => index);
    while (cuts.length > 0) {
      const some = cuts.splice(0, 16);
      const said = await Promise.all(some.map((size) => serve(path, "", [whole.slice(0, size)])));
      assert.deepStrictEqual(said, some.map(() => [{ failed: 116 }]), `${some}`);
    }
  });
});

Deno.test("P1 servingTable() is bound by all that binds the first process before it waits, and each child by the rest", () => {
  const { entries, steps } = servingTable(POLICY, TARGET, ENVIRONMENT).table;
  const sys = SYSTEM_CALLS[TARGET.processor];
  const index = (number: number, from = 0) => entries.findIndex((one, at) => at >= from && one.number === number);
  const waits = entries.findIndex(({ step }) => steps[step] === "wait for a command");
  const child = entries.findIndex(({ step }) => steps[step] === "start the command's process");
  assert.ok(index(sys.seccomp) > 0 && index(sys.seccomp) < waits && waits < child);
  assert.ok(index(sys.capset) < waits);
  const landlock = index(sys.landlock_restrict_self);
  assert.ok(landlock > child && index(sys.close_range, landlock) > landlock);
  const jump = entries.findIndex(({ step }) => steps[step] === "go on in the block");
  assert.ok(jump > landlock && entries.slice(landlock, jump).every(({ mode }) => mode === "fatal"));
});

Deno.test("P1 canServe() only where all that a command could leave is seen or denied", () => {
  const { confinement } = POLICY;
  const rows = [
    [POLICY, true],
    [{ ...POLICY, namespaces: false }, false],
    [{ ...POLICY, sharedIpc: true as const }, false],
    [{ ...POLICY, confinement: { ...confinement, filter: false } }, false],
    [{ ...POLICY, confinement: { ...confinement, unixSockets: "allow" as const } }, false],
    [{ ...POLICY, confinement: { ...confinement, network: "localhost" as const, ownNetwork: true } }, false],
    [{ ...POLICY, confinement: { ...confinement, network: "none" as const, ownNetwork: true } }, true],
  ] as const;
  assert.deepStrictEqual(rows.map(([policy]) => canServe(policy)), rows.map(([, can]) => can));
});

Deno.test("T7 servedBlock() has no room for a very long command", () => {
  const serving = loop(Deno.build.arch);
  assert.deepStrictEqual([30_000, 40_000].map((length) => block(serving, "x".repeat(length)).length > 0), [
    true,
    false,
  ]);
});
