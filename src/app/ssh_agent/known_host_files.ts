/** The files of known hosts that the user's ssh reads (S42). */
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { KnownHosts } from "../../ssh_agent/hosts/known_hosts.ts";

/** Whether commands can change what is at a path. */
export type IsOpen = (path: string) => boolean;

const IN_HOME = [".ssh/known_hosts", ".ssh/known_hosts2"] as const;
const OF_MACHINE = ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"] as const;
/** What is larger is no such file. */
const LARGEST_BYTES = 16 * 1024 * 1024;
/** Others may write. */
const OPEN_MODE = 0o022;
const ROOT = 0;

/** What they say now; those that commands (`isOpen`) or other users can change say nothing. */
export async function readKnownHosts(
  { home, isOpen, log }: {
    readonly home: string | undefined;
    readonly isOpen: IsOpen;
    readonly log: Logger;
  },
): Promise<KnownHosts> {
  const paths = [...home === undefined ? [] : IN_HOME.map((name) => `${home}/${name}`), ...OF_MACHINE];
  const texts = await Promise.all(paths.map(async (path) => {
    try {
      return await readOne(path, isOpen);
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) {
        log.warn("A file of known hosts is left out", { path, why: messageOf(thrown) });
      }
      return "";
    }
  }));
  return new KnownHosts(texts.join("\n"));
}

async function readOne(path: string, isOpen: IsOpen): Promise<string> {
  const { isFile } = await Deno.stat(path);
  if (!isFile) throw new Error("It is not a file");
  if (isOpen(path)) throw new Error("Commands can write there");
  using file = await Deno.open(path);
  const { uid, mode, size } = await file.stat();
  if (uid !== Deno.uid() && uid !== ROOT) throw new Error("It belongs to another user");
  if (((mode ?? 0) & OPEN_MODE) !== 0) throw new Error("Other users can change it (chmod 644)");
  if (size > LARGEST_BYTES) throw new Error("It is too large");
  return await new Response(file.readable).text();
}
