/**
 * Finds processes in /proc by a marker that only one test knows. A small shell script reads /proc, because the runtime
 * opens its files only with all permissions, and tests run without them.
 */

import { until } from "./deadline.ts";

/** One process at one moment. */
export interface SeenProcess {
  readonly pid: number;
  /** Words of the command line joined by blanks. */
  readonly command: string;
  /** Its working directory; empty where that cannot be seen. */
  readonly directory: string;
}

/** The resources of a process; all 0 when it is gone or a zombie. */
export interface Holdings {
  readonly descriptors: number;
  readonly residentMiB: number;
  /** Its children, zombies included: a server must reap what it starts. */
  readonly children: readonly number[];
}

/**
 * The marker arrives on stdin, and grep ends before find starts, so the script never finds itself. Usually it finds
 * nothing and starts no further program; otherwise one program prints all directories, and one all command lines.
 */
const FIND = `
IFS= read -r marker
found=$(
  grep -lsaF -f - /proc/[0-9]*/environ /proc/[0-9]*/cmdline <<END
$marker
END
  find /proc/[0-9]*/cwd -maxdepth 0 -lname "*$marker*" 2>/dev/null
)
[ -n "$found" ] || exit 0
seen='' cwds='' lines=''
for path in $found; do
  pid=\${path#/proc/} pid=\${pid%%/*} state='' memory=''
  case "$seen " in *" $pid "*) continue ;; esac
  while read -r key value; do
    case $key in State:) state=$value ;; VmSize:) memory=$value; break ;; esac
  done < "/proc/$pid/status"
  case $state in ''|Z*|X*) continue ;; esac
  [ -n "$memory" ] || continue
  seen="$seen $pid" cwds="$cwds /proc/$pid/cwd" lines="$lines /proc/$pid/cmdline"
done
[ -n "$seen" ] || exit 0
printf '/proc/%s/\\0' $seen
find $cwds -maxdepth 0 -printf '%p\\t%l\\0'
grep -szaH '' $lines
exit 0`;

const HOLD = `
state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
case $state in ''|Z*|X*) exit 0 ;; esac
sed -n 's/^VmRSS:[[:space:]]*//p' "/proc/$1/status"
ls "/proc/$1/fd" | wc -l
cat "/proc/$1/task/"*/children 2>/dev/null
exit 0`;

const STATE = `sed -n 's/^State:[[:space:]]*\\(.\\).*/\\1/p' "/proc/$1/status" 2>/dev/null; exit 0`;

/**
 * Living processes with `marker` in their command line, environment or working directory. Zombies do not count: they
 * hold no resources, and their parent must reap them. Nor do processes that have already given up their memory.
 */
export async function processesWith(marker: string): Promise<readonly SeenProcess[]> {
  const text = await script(FIND, { input: `${marker}\n` });
  const seen = new Map<string, { directory: string; words: string[] }>();
  for (const [, pid = "", fact = "", value = ""] of text.matchAll(/\/proc\/(\d+)\/(cwd\t|cmdline:|)([^\0]*)\0/g)) {
    const facts = seen.get(pid) ?? { directory: "", words: [] };
    seen.set(pid, facts);
    if (fact === "cwd\t") facts.directory = value;
    if (fact === "cmdline:") facts.words.push(value.replaceAll("\n", " "));
  }
  return Array.from(seen, ([pid, { directory, words }]) => {
    return { pid: Number(pid), command: words.join(" ").trim(), directory };
  }).toSorted((one, other) => one.pid - other.pid);
}

/** The current resources of a process. */
export async function holdingsOf(pid: number): Promise<Holdings> {
  const [memory = "0", descriptors = "0", ...children] = lines(await script(HOLD, { args: [String(pid)] }));
  return {
    descriptors: Number(descriptors),
    residentMiB: Number.parseInt(memory) / 1024,
    children: children.join(" ").split(" ").filter((word) => word !== "").map(Number),
  };
}

/** Within this many milliseconds an idle process begins garbage collection, even on a busy machine. */
const COLLECTED_MS = 200_000;

/**
 * The least memory of an idle process, MiB, up to the first reading below `enough`. Garbage is collected meanwhile and
 * live memory stays; a single reading would mainly show how busy the machine is.
 */
export async function lowestResident(pid: number, enough: number): Promise<number> {
  let lowest = Infinity;
  const end = performance.now() + COLLECTED_MS;
  await until(
    async () => {
      lowest = Math.min(lowest, (await holdingsOf(pid)).residentMiB);
      return lowest < enough || performance.now() > end;
    },
    COLLECTED_MS,
    "a look at the memory of a process",
  );
  return lowest;
}

/** Whether the process exists and is not a zombie. */
export async function isAlive(pid: number): Promise<boolean> {
  return (await holdingsOf(pid)).descriptors > 0;
}

/**
 * The letter of ps(1) for what the process does; empty: it is gone. The first process of a PID namespace becomes a zombie
 * (Z) when all others in it are gone.
 */
export async function stateOf(pid: number): Promise<string> {
  const [state = ""] = lines(await script(STATE, { args: [String(pid)] }));
  return state;
}

async function script(
  text: string,
  { input = "", args = [] }: { readonly input?: string; readonly args?: readonly string[] },
): Promise<string> {
  const child = new Deno.Command("sh", {
    args: ["-c", text, "sh", ...args],
    cwd: "/",
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { stdout, success } = await child.output();
  if (!success) throw new Error("The script that looks into /proc failed");
  return new TextDecoder().decode(stdout);
}

function lines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** Ends a process, if it is still there. */
export function killIfThere(pid: number): void {
  signalIfThere(pid, "SIGKILL");
}

/** Sends a signal to a process, if it is still there. */
export function signalIfThere(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
