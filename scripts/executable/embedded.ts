import { type AttachedFile, attachmentOf } from "../../src/app/program/attachment.ts";
import { concatenate } from "../../src/base/bytes.ts";
import { userDirectory } from "../../src/system/user_directories.ts";
import { embedProgram } from "./embed.ts";
import { runtimePin, type Target } from "./pins.ts";
import { runtimeFile } from "./runtime_file.ts";
import { START_LINE } from "./start_line.ts";
import type { Stub } from "./stub.ts";
import { STUB_ARM64 } from "./stub_arm64.ts";
import { STUB_X64 } from "./stub_x64.ts";

const STUBS: Readonly<Partial<Record<Target, Stub>>> = { "linux-x64": STUB_X64, "linux-arm64": STUB_ARM64 };

/** Whether a program can be embedded for the target; else `deno compile` makes its executable. */
export function isEmbedded(target: Target): boolean {
  return STUBS[target] !== undefined;
}

/**
 * The executable of a program for a target, with the pinned runtime, which is kept below the user's caches. `attached`:
 * files that follow the program; empty: none.
 * @throws {Error} When there is none for the target, or the runtime cannot be had.
 */
export async function embeddedExecutable(
  target: Target,
  program: Uint8Array,
  attached: readonly AttachedFile[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  const stub = STUBS[target];
  const pin = runtimePin(target);
  if (stub === undefined || pin === undefined) {
    throw new Error("A program is embedded for Linux only: leave out --with embedded");
  }
  const caches = userDirectory(Deno.env.toObject(), "XDG_CACHE_HOME");
  if (caches === undefined) throw new Error("Set HOME or XDG_CACHE_HOME: runtimes are kept there");
  const runtime = await runtimeFile(target, pin, { cache: `${caches}/ahma_build`, own: Deno.execPath() });
  const whole = embedProgram(runtime, program, { stub, line: START_LINE });
  return attached.length === 0 ? whole : concatenate([whole, attachmentOf(attached)]);
}
