/**
 * Directories for tests of paths that are denied to commands. The machine's /tmp is hidden from commands (S5), so a file
 * there would prove nothing about the layers that protect visible paths.
 */

/** Directories that every user may enter, best first. */
const SEEN = ["/srv", "/var/lib"] as const;
/** For users without a home that commands see: no denial suggests opening these directories. */
const LAST = "/run/lock";
/** Commands see directories of their own there. */
const HIDDEN = /^\/(?:var\/)?tmp(?:\/|$)/;

/** A fresh directory, canonical, that commands can see; in /tmp where the user may write nowhere else. */
export function makeSeenDirectory(prefix: string): string {
  const home = Deno.env.get("HOME");
  const isSeen = home?.startsWith("/") === true && !HIDDEN.test(home);
  for (const dir of [...SEEN, ...isSeen ? [home] : [], LAST]) {
    try {
      return Deno.realPathSync(Deno.makeTempDirSync({ dir, prefix }));
    } catch (error) {
      if (!(error instanceof Error)) throw error; // missing, or not writable: the next one
    }
  }
  return Deno.realPathSync(Deno.makeTempDirSync({ prefix }));
}
