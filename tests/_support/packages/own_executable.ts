/** The executable of this platform, made by `deno task compile` from the program that is packed now. */
import { attachmentOf } from "../../../src/app/program/attachment.ts";
import { concatenate } from "../../../src/base/bytes.ts";
import { ownTarget } from "../../../scripts/executable/pins.ts";

const DIST = new URL("../../../dist/", import.meta.url).pathname;

/** Its path. @throws {Error} With the remedy where it is missing or older than the packed program. */
export function ownExecutable(): string {
  const path = `${DIST}bin/ahma_mcp-${ownTarget(Deno.build)}`;
  const program = Deno.readFileSync(`${DIST}ahma_mcp.mjs`);
  const attached = Deno.readDirSync(`${DIST}worker`).map(({ name }) => name).toArray().toSorted()
    .map((name) => ({ name, bytes: Deno.readFileSync(`${DIST}worker/${name}`) }));
  if (!endsWith(path, concatenate([program, attachmentOf(attached)]))) {
    throw new Error(`"${path}" does not hold the packed program. Run "deno task compile" first`);
  }
  return path;
}

function endsWith(path: string, end: Uint8Array): boolean {
  try {
    using file = Deno.openSync(path);
    file.seekSync(-end.length, Deno.SeekMode.End);
    const found = new Uint8Array(end.length);
    let read = 0;
    for (let got: number | null = 0; got !== null && read < end.length; read += got) {
      got = file.readSync(found.subarray(read));
      if (got === null) return false;
    }
    return found.every((byte, index) => byte === end[index]);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false;
    throw thrown;
  }
}
