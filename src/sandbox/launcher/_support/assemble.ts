import { LITTLE_ENDIAN } from "../../../system/c_library.ts";

/** An assembler, and what it must be told before the source. */
export interface Assembler {
  readonly program: string;
  readonly prologue: string;
}

const NATIVE = Deno.build.arch;

/** The assembler of each processor, in the language of the listings. */
export const ASSEMBLERS: Readonly<Record<"x86_64" | "aarch64", Assembler>> = {
  x86_64: { program: NATIVE === "x86_64" ? "as" : "x86_64-linux-gnu-as", prologue: ".intel_syntax noprefix\n" },
  aarch64: { program: NATIVE === "aarch64" ? "as" : "aarch64-linux-gnu-as", prologue: "" },
};

/** Whether a program is there; an empty name: none is needed. */
export function installed(program: string): boolean {
  return program === "" || ["/usr/bin", "/usr/local/bin"].some((directory) => {
    try {
      return Deno.statSync(`${directory}/${program}`).isFile;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
  });
}

/** The machine code of a source. @throws {Error} With what the assembler says of it. */
export async function assemble(lines: readonly string[], { program, prologue }: Assembler): Promise<Uint8Array> {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/code.s`, `${prologue}${lines.join("\n")}\n`);
    const { stderr } = await new Deno.Command(program, { args: ["code.s", "-o", "code.o"], cwd: directory }).output();
    const said = new TextDecoder().decode(stderr);
    if (said !== "") throw new Error(said);
    return await textSection(`${directory}/code.o`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** The bytes of `.text`: the only section with the executable flag. */
async function textSection(path: string): Promise<Uint8Array> {
  const bytes = await Deno.readFile(path);
  const view = new DataView(bytes.buffer);
  const table = Number(view.getBigUint64(40, LITTLE_ENDIAN));
  for (let i = 0; i < view.getUint16(60, LITTLE_ENDIAN); i++) {
    const header = table + i * view.getUint16(58, LITTLE_ENDIAN);
    if ((view.getBigUint64(header + 8, LITTLE_ENDIAN) & 4n) === 0n) continue;
    const offset = Number(view.getBigUint64(header + 24, LITTLE_ENDIAN));
    return bytes.slice(offset, offset + Number(view.getBigUint64(header + 32, LITTLE_ENDIAN)));
  }
  throw new Error(`Cannot find code in "${path}"`);
}
