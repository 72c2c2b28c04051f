import { strict as assert } from "node:assert";
import { SILENT } from "../base/log.ts";
import { StderrFile } from "./stderr_file.ts";

interface Heard {
  readonly lines: string[];
  readonly next: () => Promise<void>;
  readonly onLine: (line: string) => void;
}

function hearing(): Heard {
  const lines: string[] = [];
  let told = Promise.withResolvers<void>();
  return {
    lines,
    next: () => told.promise,
    onLine(line) {
      lines.push(line);
      told.resolve();
      told = Promise.withResolvers<void>();
    },
  };
}

async function inDirectory(test: (path: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await test(`${directory}/stderr`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("H9 H10 StderrFile reports lines as they come, and the rest at the end", () =>
  inDirectory(async (path) => {
    const { lines, next, onLine } = hearing();
    const reading = await StderrFile.open({ path, onLine, log: SILENT });
    assert.strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    const first = next();
    await Deno.writeTextFile(path, "one\ntw", { append: true });
    await first;
    assert.deepStrictEqual(lines, ["one"]);
    await Deno.writeTextFile(path, "o\nthree", { append: true });
    await reading[Symbol.asyncDispose]();
    assert.deepStrictEqual(lines, ["one", "two", "three"]);
  }));

Deno.test("H10 StderrFile keeps the file small and reports the last lines of a server that writes without end", () =>
  inDirectory(async (path) => {
    const { lines, next, onLine } = hearing();
    const reading = await StderrFile.open({ path, onLine, log: SILENT });
    using writer = await Deno.open(path, { append: true });
    const noise = new TextEncoder().encode(`${"x".repeat(999)}\n`.repeat(500));
    for (let count = 0; count < 200; count++) await writer.write(noise);
    while ((await writer.stat()).size > 1024 * 1024) {
      const told = next();
      await writer.write(new TextEncoder().encode("still here\n"));
      await told;
    }
    await writer.write(new TextEncoder().encode("the last words\n"));
    await reading[Symbol.asyncDispose]();
    assert.strictEqual(lines.at(-1), "the last words");
    assert.ok((await Deno.stat(path)).size <= 1024 * 1024);
  }));

Deno.test("H10 StderrFile ends the line after which text was left out", () =>
  inDirectory(async (path) => {
    const { lines, next, onLine } = hearing();
    const reading = await StderrFile.open({ path, onLine, log: SILENT });
    using writer = await Deno.open(path, { append: true });
    await writer.write(new TextEncoder().encode(`${"x".repeat(999)}\n`.repeat(1500) + "cut short"));
    for (let told = next(); (await writer.stat()).size > 0; told = next()) await told;
    await writer.write(new TextEncoder().encode("the last words\n"));
    await reading[Symbol.asyncDispose]();
    assert.strictEqual(lines.at(-1), "the last words");
  }));
