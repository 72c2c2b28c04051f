/** What the program loads later, and what workers of native tools are started from: every packed form has these files. */
import type { AttachedFile } from "../../src/app/program/attachment.ts";

const WORKER = new URL("../../dist/worker/", import.meta.url);

/** The files of dist/worker, by name. @throws {Error} Where nothing is packed. */
export async function workerFiles(): Promise<readonly AttachedFile[]> {
  const entries = await Array.fromAsync(Deno.readDir(WORKER));
  const names = entries.map(({ name }) => name).toSorted();
  return await Promise.all(names.map(async (name) => ({ name, bytes: await Deno.readFile(new URL(name, WORKER)) })));
}
