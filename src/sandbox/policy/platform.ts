/** The machine the program runs on, as far as confinement depends on it. */
import { failure, type Outcome, success } from "../../base/outcome.ts";

export interface Platform {
  /** As `Deno.build.os` has it. */
  readonly os: string;
  /** macOS: absolute path of `sandbox-exec`. Never looked for on the PATH, where a project could plant one. */
  readonly sandboxExec: string;
}

/** This machine. */
export function thisPlatform(): Platform {
  return { os: Deno.build.os, sandboxExec: "/usr/bin/sandbox-exec" };
}

/** What starts commands here. */
export type BackEnd =
  /** Linux: the launcher, with Landlock unless `--no-sandbox`. */
  | "launcher"
  /** macOS: process groups, with Seatbelt unless `--no-sandbox`. */
  | "seatbelt";

/** What starts commands on this system, or why the server does not start on it (S12, S19). */
export function backEndOf({ os }: Pick<Platform, "os">): Outcome<BackEnd> {
  switch (os) {
    case "linux":
      return success("launcher");
    case "darwin":
      return success("seatbelt");
    case "windows":
      return failure(
        "Cannot run on Windows: it has no sandbox that confines a command to a directory without changing the rights of " +
          "files, and ahma_mcp does not run commands without one unless it is told to. --no-sandbox does not help here " +
          "either: commands need a POSIX shell and POSIX paths.\n" +
          "Run it in WSL 2: there Landlock and namespaces confine commands as on Linux",
      );
    default:
      return failure(`Cannot run on "${os}": commands are started on Linux and macOS only`);
  }
}
