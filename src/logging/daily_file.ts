/** One log file for each day in one directory; old files are removed (requirement L8). */
import { undefinedFor } from "../base/errors.ts";
import { encodeText } from "../base/text.ts";
import { writeAll } from "../base/write_all.ts";
import type { LineTarget } from "./line_queue.ts";

/** Files older than this are removed, in days. */
const DAYS_KEPT = 14;

const DAY_MS = 24 * 60 * 60 * 1000;
const FILE_NAME_REGEXP = /^ahma_mcp\.(\d{4}-\d\d-\d\d)\.log$/;

/**
 * Opens today's file in `directory` for appending. Creates both if missing, with mode 0700 and 0600. Several servers
 * write to one file, and the kernel keeps their lines whole. Days begin at midnight UTC, like the times of lines.
 *
 * @throws {Deno.errors} when the directory or the file cannot be made or written
 */
export async function openDailyFile(directory: string, now: () => Date): Promise<LineTarget> {
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  let day = dayOf(now());
  let file = await openFile(directory, day);
  await removeOldFiles(directory, now());
  return {
    async write(text) {
      const today = dayOf(now());
      if (today !== day) {
        file.close();
        file = await openFile(directory, today);
        day = today;
        await removeOldFiles(directory, now());
      }
      await writeAll(file, encodeText(text));
    },
    close: () => file.close(),
  };
}

function openFile(directory: string, day: string): Promise<Deno.FsFile> {
  return Deno.open(`${directory}/ahma_mcp.${day}.log`, { append: true, create: true, mode: 0o600 });
}

async function removeOldFiles(directory: string, now: Date): Promise<void> {
  const oldest = dayOf(new Date(now.getTime() - DAYS_KEPT * DAY_MS));
  for await (const entry of Deno.readDir(directory)) {
    const day = FILE_NAME_REGEXP.exec(entry.name)?.[1];
    if (entry.isFile && day !== undefined && day < oldest) await removeIfThere(`${directory}/${entry.name}`);
  }
}

/** Another server may have removed it already. */
async function removeIfThere(path: string): Promise<void> {
  await Deno.remove(path).catch(undefinedFor(Deno.errors.NotFound));
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
