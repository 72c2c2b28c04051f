/** The parts that `ahma_mcp accept` needs: files, git for configuration, and the record for running servers (S24). */
import { UserError } from "../../base/errors.ts";
import { ConfigEditor } from "../../process/linux/git_config/edit_config.ts";
import { type Aside, asideAround, type Judged, PutBack } from "../../process/linux/git_config/put_back.ts";
import { askProgram } from "../../process/spawn.ts";
import { acceptedFile, withAccepted } from "../../sandbox/git_config/accepted_lines.ts";
import { supportedProcessor } from "../../sandbox/policy/prerequisites.ts";
import { findGit } from "../../sandbox/protect/git_program.ts";
import { Libc } from "../../system/libc.ts";
import { FileCalls } from "../../system/open_files/file_calls.ts";
import { readTextIfRegular } from "../../system/reading/regular_file.ts";
import { writePrivately } from "../../system/replace/private_file.ts";
import { homeOf } from "../../system/user_directories.ts";

const LARGEST_RECORD = 1024 * 1024;

export interface OpenedPutBack extends Disposable {
  /** See `asideAround`. */
  around(directory: string): readonly string[];
  find(path: string): readonly Aside[];
  judge(aside: Aside): Promise<Judged>;
  /** Puts it back, and records for servers that this content was accepted; false: commands have changed it since. */
  putBack(aside: Aside, judged: Judged): Promise<boolean>;
}

/** @throws {UserError} On a system where nothing is set aside, or without git. */
export function openPutBack(environment: Readonly<Record<string, string>>): OpenedPutBack {
  const processor = supportedProcessor(Deno.build.os, Deno.build.arch);
  const git = findGit(environment, { home: homeOf(environment), writable: [] });
  if (!processor.ok) throw new UserError(processor.problem);
  if (git === undefined) throw new UserError("Cannot check repositories: there is no git on the PATH");
  const directory = Deno.makeTempDirSync({ prefix: "ahma_mcp_accept-" });
  const libc = new Libc();
  const calls = new FileCalls();
  const editor = new ConfigEditor({ git, ask: askProgram, directory, signal: new AbortController().signal });
  const pin = (path: string) => {
    const facts = libc.lookAt(path);
    return facts && { path, device: facts.device, inode: facts.inode };
  };
  const back = new PutBack({ calls, editor, pin });
  return {
    around: asideAround,
    find: (path) => back.find(path),
    judge: (aside) => back.judge(aside),
    putBack: async (aside, judged) => {
      if (JSON.stringify((await back.judge(aside)).obeyed) !== JSON.stringify(judged.obeyed)) return false;
      if (!back.putBack(aside)) return false;
      const identity = libc.lookAt(aside.path);
      if (identity !== undefined) await record(environment, aside, { judged, identity });
      return true;
    },
    [Symbol.dispose]: () => {
      calls[Symbol.dispose]();
      libc[Symbol.dispose]();
      Deno.removeSync(directory, { recursive: true });
    },
  };
}

async function record(
  environment: Readonly<Record<string, string>>,
  { path }: Aside,
  { judged: { obeyed }, identity }: {
    readonly judged: Judged;
    readonly identity: Parameters<typeof withAccepted>[1]["identity"];
  },
): Promise<void> {
  const file = acceptedFile(environment);
  if (file === undefined) return;
  const known = readTextIfRegular(file, LARGEST_RECORD) ?? "";
  await writePrivately(file, withAccepted(known, { path, identity, obeyed }));
}
