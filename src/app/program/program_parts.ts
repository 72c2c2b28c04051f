/**
 * The parts of the packed program that are loaded after its start (scripts/bundle/parts.ts). They stand next to it, with
 * the files of workers. An executable has them attached and puts them into sealed memory: nothing is written to disk.
 */
import { encodeText, words } from "../../base/text.ts";
import { lazy } from "../../base/lazy.ts";
import { LazyLibrary } from "../../system/c_library.ts";
import { type AttachedFile, readAttachment } from "./attachment.ts";
import { PROGRAM_DESCRIPTOR, PROGRAM_TEXT, programPath, thisForm, workerDirectory } from "./own_program.ts";

/** What each part imports is loaded before it. */
export const PROGRAM_PARTS = ["session.mjs", "toolbox.mjs", "service.mjs", "data.mjs", "rest.mjs"] as const;

export type ProgramPart = typeof PROGRAM_PARTS[number];

/** The name that parts use for the program, relative to their directory. */
const PROGRAM = "../ahma_mcp.mjs";
/** How a packed text imports another. */
const IMPORT = /\b(from|import)"(\.[^"]*)"/g;

const LIBRARY = words("memfd_create write fcntl close");
/** MFD_CLOEXEC | MFD_ALLOW_SEALING */
const MEMORY_FLAGS = 3;
const F_DUPFD_CLOEXEC = 1030;
const F_ADD_SEALS = 1033;
/** Seals, size and content: all of them stay as they are. */
const ALL_SEALS = 15n;

/** Each is read when it is asked for, or imported by another one. */
const IN_MEMORY: Readonly<Record<ProgramPart, () => string | undefined>> = {
  "session.mjs": lazy(() => attachedPart("session.mjs")),
  "toolbox.mjs": lazy(() => attachedPart("toolbox.mjs")),
  "service.mjs": lazy(() => attachedPart("service.mjs")),
  "data.mjs": lazy(() => attachedPart("data.mjs")),
  "rest.mjs": lazy(() => attachedPart("rest.mjs")),
};

/** The files with all that runs in the server; empty when run from its sources, which are too many to be told apart. */
export function codeFiles(): readonly string[] {
  const form = thisForm();
  if (form === "sources") return [];
  const packed = [programPath(), ...PROGRAM_PARTS.map((part) => `${workerDirectory()}/${part}`)];
  return [Deno.execPath(), ...form === "packed program" ? packed : []];
}

/** Where a part is imported from, always the same. @throws {Error} When an executable has no part or memory. */
export function partAddress(part: ProgramPart): string {
  if (thisForm() !== "executable" || Deno.build.standalone) return new URL(`worker/${part}`, import.meta.url).href;
  const address = IN_MEMORY[part]();
  if (address === undefined) throw new Error(`The executable "${Deno.execPath()}" lacks its part "${part}"`);
  return address;
}

function attachedPart(part: ProgramPart): string | undefined {
  const files = readAttachment(Deno.execPath(), (name) => name === part) ?? [];
  return partsInMemory(files, (other) => other === part ? undefined : IN_MEMORY[other]()).get(part);
}

/** Whether an attached file is a part of the program; the others belong to workers. */
export function isPart(name: string): name is ProgramPart {
  return PROGRAM_PARTS.some((part) => part === name);
}

/**
 * Puts parts into memory, each at the first free descriptor behind the program's: compiled code is kept by address.
 * `addressOf`: the address of a part that is imported and not among them.
 * @throws {Error} Where the kernel gives no memory.
 */
export function partsInMemory(
  files: readonly AttachedFile[],
  addressOf: (part: ProgramPart) => string | undefined = () => undefined,
): ReadonlyMap<ProgramPart, string> {
  const library = new LazyLibrary(LIBRARY);
  const addresses = new Map<ProgramPart, string>();
  try {
    for (const part of PROGRAM_PARTS) {
      const file = files.find(({ name }) => name === part);
      if (file === undefined) continue;
      const bytes = withAddresses(file.bytes, (other) => addresses.get(other) ?? addressOf(other));
      addresses.set(part, `file:///proc/self/fd/${sealedMemory(library, part, bytes)}`);
    }
  } finally {
    library[Symbol.dispose]();
  }
  return addresses;
}

/** The text with what it imports at its addresses. It is ASCII. */
function withAddresses(
  bytes: Uint8Array,
  addressOf: (part: ProgramPart) => string | undefined,
): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder().decode(bytes).replaceAll(IMPORT, (words, before: string, name: string) => {
    if (name === PROGRAM) return `${before}"file://${PROGRAM_TEXT}"`;
    const part = name.slice("./".length);
    const address = isPart(part) ? addressOf(part) : undefined;
    return address === undefined ? words : `${before}"${address}"`;
  });
  return encodeText(text);
}

function sealedMemory(
  { symbols: { memfd_create, write, fcntl, close } }: LazyLibrary<typeof LIBRARY[number]>,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): number {
  const memory = memfd_create(encodeText(`${name}\0`), MEMORY_FLAGS);
  let done = 0;
  for (let wrote = 1; wrote > 0 && done < bytes.length; done += Math.max(wrote, 0)) {
    wrote = Number(write(memory, bytes.subarray(done), BigInt(bytes.length - done)));
  }
  const isSealed = done === bytes.length && fcntl(memory, F_ADD_SEALS, ALL_SEALS) === 0;
  const descriptor = isSealed ? fcntl(memory, F_DUPFD_CLOEXEC, BigInt(PROGRAM_DESCRIPTOR + 1)) : -1;
  close(memory);
  if (descriptor < 0) throw new Error(`Cannot load "${name}": the kernel provides no sealed memory for it`);
  return descriptor;
}
