import assert from "node:assert/strict";
import fc from "fast-check";
import {
  ENDED,
  ENTRY_BYTES,
  ENTRY_MODE,
  FRAME_HEADER_BYTES,
  FRAME_OUTPUT_BYTES,
  OUTPUT_FRAME,
} from "../../../sandbox/launcher/image/interpreter.ts";
import { LITTLE_ENDIAN } from "../../../system/c_library.ts";
import { FrameReader, ServedCommand } from "./serving_sandbox.ts";

/** Output in a frame; or the report of an end with this code. */
type Part = Uint8Array<ArrayBuffer> | number;

function encode(part: Part): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(part instanceof Uint8Array ? FRAME_HEADER_BYTES + part.length : ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  if (part instanceof Uint8Array) {
    view.setBigUint64(0, OUTPUT_FRAME, LITTLE_ENDIAN);
    view.setBigUint64(8, BigInt(part.length), LITTLE_ENDIAN);
    bytes.set(part, FRAME_HEADER_BYTES);
  } else {
    view.setBigUint64(16, BigInt(part << 8), LITTLE_ENDIAN);
    view.setBigUint64(64, BigInt(ENTRY_MODE.ended), LITTLE_ENDIAN);
    view.setBigUint64(72, BigInt(ENDED.clean), LITTLE_ENDIAN);
  }
  return bytes;
}

/** Text that looks like frames and reports, among other bytes. */
const output = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 200 }),
  fc.uint8Array({ minLength: FRAME_OUTPUT_BYTES, maxLength: FRAME_OUTPUT_BYTES }),
  fc.array(fc.oneof(fc.uint8Array({ maxLength: 5 }), fc.nat(255)), { minLength: 1, maxLength: 3 })
    .map((parts) => new Uint8Array(parts.flatMap((part) => [...encode(part as Part)]))),
).map((bytes) => new Uint8Array(bytes));

Deno.test("X7 FrameReader.read() gives output and ends as they were written, however the stream is cut", () => {
  const parts = fc.array(fc.oneof(output, fc.nat(255)), { maxLength: 8 });
  fc.assert(fc.property(parts, fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }), (all, sizes) => {
    const stream = new Uint8Array(all.flatMap((part) => [...encode(part)]));
    const reader = new FrameReader();
    const bytes: number[] = [];
    const codes: unknown[] = [];
    for (let at = 0; at < stream.length;) {
      const size = sizes[at % sizes.length] ?? 1;
      const { output, reports } = reader.read(stream.slice(at, at + size));
      bytes.push(...output);
      codes.push(...reports);
      at += size;
    }
    assert.deepStrictEqual(bytes, all.flatMap((part) => part instanceof Uint8Array ? [...part] : []));
    const ends = all.filter((part) => typeof part === "number").map((code) => ({
      kind: "ended",
      end: { kind: "exited", code },
      alone: true,
      clean: true,
      taken: true,
    }));
    assert.deepStrictEqual(codes, ends);
  }));
});

Deno.test("N4 FrameReader.read() passes a part of a frame on before the rest has come", () => {
  const frame = encode(new TextEncoder().encode("progress"));
  const reader = new FrameReader();
  const texts = [frame.slice(0, FRAME_HEADER_BYTES + 3), frame.slice(FRAME_HEADER_BYTES + 3)].map((chunk) =>
    new TextDecoder().decode(reader.read(chunk).output)
  );
  assert.deepStrictEqual(texts, ["pro", "gress"]);
});

Deno.test("X10 ServedCommand.end waits until the sandbox is gone that was ended for what the command left", async () => {
  const happened: string[] = [];
  const command = new ServedCommand({ steps: [], program: "bash" }, {
    terminate() {},
    kill() {
      happened.push("killed");
      // The launcher's output ends first.
      command.outputEnded();
      setTimeout(() => {
        happened.push("gone");
        command.sandboxGone({ code: 0, signal: null });
      });
    },
    root: () => undefined,
    leftRunning: () => undefined,
    usage: () => undefined,
  }, { signal: new AbortController().signal });
  command.note({ kind: "ended", end: { kind: "exited", code: 0 }, alone: false, clean: false, taken: true });
  await command.end;
  assert.deepStrictEqual(happened, ["killed", "gone"]);
});
