import assert from "node:assert/strict";
import { SILENT } from "../../base/log.ts";
import { type GroupCommand, ProcessGroup } from "./process_group.ts";
import { type LauncherProcess, listProcesses, startGroup } from "../spawn.ts";

const MARK = "begins\n";

function start(line: string): LauncherProcess {
  const environment = { PATH: "/usr/bin:/bin" };
  return startGroup({ program: "/bin/sh", args: ["-c", line], environment, directory: "/", stdin: "null" });
}

function supervision(process: LauncherProcess, change: Partial<GroupCommand> = {}): GroupCommand {
  return {
    process,
    startMark: MARK,
    explain: ({ code, signal }, said) => `${signal ?? code}: ${said}`,
    onError: () => {},
    listProcesses,
    logger: SILENT,
    ...change,
  };
}

/** How a line ended, and what it wrote to each side; aborted when its output holds "up". */
async function follow(line: string, change: Partial<GroupCommand> = {}) {
  const [abort, decoder] = [new AbortController(), new TextDecoder()];
  let [output, errors] = ["", ""];
  const run = new ProcessGroup(
    supervision(start(line), { onError: (chunk) => errors += new TextDecoder().decode(chunk), ...change }),
    {
      signal: abort.signal,
      onOutput: (chunk) => {
        output += decoder.decode(chunk, { stream: true });
        if (output.includes("up")) abort.abort();
      },
    },
  );
  const end = await run.end;
  await run.gone;
  return { end, output, errors };
}

Deno.test("X4 ProcessGroup tells what stands in place of a start from what a command says and how it ends", async () => {
  assert.deepStrictEqual(await follow("echo no >&2; exit 71"), {
    end: { kind: "not_started", message: "71: no\n" },
    output: "",
    errors: "",
  });
  assert.deepStrictEqual(await follow("kill -9 $$"), {
    end: { kind: "not_started", message: "SIGKILL: " },
    output: "",
    errors: "",
  });
  assert.deepStrictEqual(
    await follow("printf 'warning\nbeg' >&2; printf 'ins\nno' >&2; echo o; echo pe >&2; exit 71"),
    {
      end: { kind: "exited", code: 71 },
      output: "o\n",
      errors: "nope\n",
    },
  );
});

Deno.test("X10 ProcessGroup ends the group of a command where processes cannot be listed", async () => {
  const warnings: string[] = [];
  const { end } = await follow(`trap "" TERM; echo 'begins' >&2; sleep 61 & echo up $!; sleep 62; sleep 63`, {
    listProcesses: () => Promise.reject(new Error("no ps")),
    logger: { ...SILENT, warn: (_message, fields) => warnings.push(String(fields?.["error"])) },
  });
  assert.deepStrictEqual([end, [...new Set(warnings)]], [{ kind: "signalled", signal: "SIGKILL" }, ["no ps"]]);
});

Deno.test("X10 ProcessGroup finds who left the group before the end was asked for", async () => {
  const seen: number[] = [];
  const { end, output } = await follow(
    `echo begins >&2; setsid sh -c 'trap "" TERM; echo up $$; sleep 64; sleep 65' & wait`,
    {
      listProcesses: async () => {
        const all = await listProcesses();
        seen.push(...all.filter(({ dead }) => !dead).map(({ pid }) => pid));
        return all;
      },
    },
  );
  const stray = Number(/up (\d+)/.exec(output)?.[1]);
  assert.deepStrictEqual([end, seen.includes(stray)], [{ kind: "signalled", signal: "SIGTERM" }, true]);
  const left = (await listProcesses()).filter(({ pid, dead }) => pid === stray && !dead);
  assert.deepStrictEqual(left, []);
});
