/** The stdout of a serving launcher, taken apart: output of commands, and reports (sandbox/launcher/image/output_frame.ts). */
import { FRAME_HEADER_BYTES, OUTPUT_FRAME } from "../../../sandbox/launcher/image/output_frame.ts";
import { ENTRY_BYTES } from "../../../sandbox/launcher/image/interpreter.ts";
import { LITTLE_ENDIAN } from "../../../system/c_library.ts";
import { decodeReport, type LauncherReport } from "../launch/launcher_reports.ts";

/** The contents of a chunk. */
export interface Taken {
  /** Lies in the memory of the chunk; empty: none. */
  readonly output: Uint8Array;
  /** The output before the end of a command belongs to it. */
  readonly reports: readonly LauncherReport[];
}

export class FrameReader {
  /** An incomplete head or report. */
  readonly #begun = new DataView(new ArrayBuffer(ENTRY_BYTES));
  #filled = 0;
  /** Bytes of output that the frame still has. */
  #left = 0;

  /** Takes a chunk apart; its memory is written to. */
  read(chunk: Uint8Array): Taken {
    const reports: LauncherReport[] = [];
    let from = 0;
    let to = 0;
    for (let at = 0; at < chunk.length;) {
      if (this.#left === 0) {
        at += this.#fill(chunk.subarray(at), reports);
        continue;
      }
      const size = Math.min(this.#left, chunk.length - at);
      if (from === to) from = to = at;
      else chunk.copyWithin(to, at, at + size);
      to += size;
      at += size;
      this.#left -= size;
    }
    return { output: chunk.subarray(from, to), reports };
  }

  /** Takes the bytes of a head or a report, and returns their number. */
  #fill(bytes: Uint8Array, reports: LauncherReport[]): number {
    const begun = new Uint8Array(this.#begun.buffer);
    const wanted = this.#filled < 8 ? 8 : this.#isFrame() ? FRAME_HEADER_BYTES : ENTRY_BYTES;
    const taken = bytes.subarray(0, wanted - this.#filled);
    begun.set(taken, this.#filled);
    this.#filled += taken.length;
    if (this.#filled < wanted || wanted === 8) return taken.length;
    if (this.#isFrame()) this.#left = this.#begun.getUint32(8, LITTLE_ENDIAN);
    else reports.push(decodeReport(this.#begun));
    this.#filled = 0;
    return taken.length;
  }

  #isFrame(): boolean {
    return this.#begun.getBigUint64(0, LITTLE_ENDIAN) === OUTPUT_FRAME;
  }
}
