/**
 * Settings files in a process of their own: the work on them stands in a directory, and all tests of a process share
 * one working directory. Each call is a line, and so is its answer.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { messageOf, UserError } from "../../../../base/errors.ts";
import { type Places, SettingsFile } from "../settings_file.ts";

interface Call {
  readonly file: string;
  readonly places: Places;
  /** Null stands for an undefined text. */
  readonly write?: readonly [expected: string | null, text: string | null];
}

interface Answer {
  readonly text?: string | undefined;
  readonly refusal?: string;
}

export class SettingsProcess implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string>;

  constructor() {
    const args = ["run", "--allow-all", import.meta.filename ?? ""];
    this.#child = spawn(Deno.execPath(), args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The methods of a `SettingsFile` that is made for each call. */
  file(file: string, places: Places): Pick<SettingsFile, "read" | "write"> {
    return {
      read: () => this.#ask({ file, places }),
      write: async (expected, text) => {
        await this.#ask({ file, places, write: [expected ?? null, text ?? null] });
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.stdin.end();
    await closed;
  }

  /** @throws {UserError} what the file refuses */
  async #ask(call: Call): Promise<string | undefined> {
    this.#child.stdin.write(`${JSON.stringify(call)}\n`);
    const { text, refusal }: Answer = JSON.parse((await this.#answers.next()).value);
    if (refusal !== undefined) throw new UserError(refusal);
    return text;
  }
}

async function answer({ file, places, write }: Call): Promise<Answer> {
  try {
    const settings = new SettingsFile(file, places);
    if (write === undefined) return { text: await settings.read() };
    const [expected, text] = write;
    await settings.write(expected ?? undefined, text ?? undefined);
    return {};
  } catch (thrown) {
    if (thrown instanceof UserError) return { refusal: messageOf(thrown) };
    throw thrown;
  }
}

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
  }
}
