/** Whether this machine can enforce the sandbox at all, and what to do where it cannot (S12, S13, S19). */
import { type Machine, RESOURCE } from "./confinement.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { ENOSYS, EOPNOTSUPP, EPERM, type Processor } from "../../system/syscalls.ts";

/** What this version needs even for `--no-sandbox`: commands are always started by the launcher. */
const LAUNCHER_ONLY =
  "The launcher that starts commands, with or without the sandbox, exists for Linux on x86_64 and aarch64 only";

/** Closes every refusal. */
export const WITHOUT =
  "ahma_mcp does not run commands without a sandbox: an agent's command could change any file you can. " +
  "To run without it anyway, start with --no-sandbox or AHMA_NO_SANDBOX=1";

/** The processor if the launcher exists for it. */
export function supportedProcessor(os: string, arch: string): Outcome<Processor> {
  if (os !== "linux") {
    return failure(`Cannot run on "${os}": ${LAUNCHER_ONLY}`);
  }
  if (arch !== "x86_64" && arch !== "aarch64") {
    return failure(`Cannot run on "${arch}": ${LAUNCHER_ONLY}`);
  }
  return success(arch);
}

const NULL_DEVICE = "/dev/null";

/** Why no program can be started here, with or without the sandbox; undefined: the device that each begins with is there. */
export function nullDeviceProblem(): string | undefined {
  try {
    using device = Deno.openSync(NULL_DEVICE, { read: true, write: true });
    return device.statSync().isCharDevice ? undefined : withoutDevice("is not a device");
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return withoutDevice(
      thrown instanceof Deno.errors.NotFound ? "is missing" : `cannot be opened (${thrown.message})`,
    );
  }
}

function withoutDevice(what: string): string {
  return `Cannot start programs: ${NULL_DEVICE} ${what}. Each program begins with it as its input.\n` +
    `Mount a /dev that has it (containers: --device or a bind mount), or make it: mknod -m 666 ${NULL_DEVICE} c 1 3`;
}

/** With fewer no launcher gets the descriptors that it starts with. */
const FEWEST_FILES = 64;
/** The rights that the user itself needs in new directories. */
const OWN_RIGHTS = 0o700;

/** Why commands cannot be confined by a server that was started with these limits; undefined: they can. */
export function inheritedProblem(machine: Pick<Machine, "limitOf" | "readProc">): string | undefined {
  const { soft } = machine.limitOf(RESOURCE.openFiles);
  if (soft !== undefined && soft < FEWEST_FILES) {
    return `Cannot run commands: this server may open ${soft} files, and needs ${FEWEST_FILES}. ` +
      "Raise ulimit -n where it is started";
  }
  const [, umask = "0"] = /^Umask:\s*(\d+)/m.exec(machine.readProc("/proc/self/status") ?? "") ?? [];
  if ((parseInt(umask, 8) & OWN_RIGHTS) === 0) return undefined;
  return `Cannot run commands: umask ${umask} takes the user's own rights from new directories. ` +
    "Start the server with umask 077 or 022";
}

/** The kernel's answer as a sufficient ABI, or what is missing and how to get it. */
export function acceptableAbi(answer: number, required: number | undefined): Outcome<number> {
  if (answer < 0) return failure(`${whyUnavailable(-answer)}\n${WITHOUT}`);
  if (required !== undefined && answer < required) {
    return failure(
      `Cannot start with --require-abi ${required}: this kernel's Landlock has ABI ${answer}.\n` +
        "Upgrade the kernel (ABI 3 came with Linux 6.2, ABI 6 with 6.12), or ask for less",
    );
  }
  return success(answer);
}

function whyUnavailable(errno: number): string {
  switch (errno) {
    case ENOSYS:
      return "Cannot enforce the sandbox: this kernel was built without Landlock, or a container's seccomp profile hides it.\n" +
        "Use Linux 5.13 or later built with CONFIG_SECURITY_LANDLOCK=y; in a container, allow the system calls landlock_* (Docker 20.10.14 and later do)";
    case EOPNOTSUPP:
      return "Cannot enforce the sandbox: Landlock is built into this kernel but not enabled.\n" +
        'Add "landlock" to the boot parameter lsm= (see /sys/kernel/security/lsm for the present list) and restart';
    case EPERM:
      return "Cannot enforce the sandbox: an outer sandbox or seccomp profile refuses Landlock.\n" +
        "Leave enforcement to the outer sandbox, or allow the system calls landlock_* in it";
    default:
      return `Cannot enforce the sandbox: the kernel answered error ${errno} when asked for Landlock`;
  }
}
