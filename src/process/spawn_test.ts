import assert from "node:assert/strict";
import { type Asked, askProgram } from "./spawn.ts";

/** What a line of the shell says; it may leave one program behind, whose number it writes last. */
async function asked(line: string, more: { readonly longestMs?: number; readonly endMark?: string } = {}) {
  const directory = await Deno.makeTempDir();
  try {
    const question = {
      program: "/bin/sh",
      args: ["-c", line],
      environment: { PATH: "/usr/bin:/bin" },
      directory,
      longestMs: 60_000,
      mostBytes: 1000,
      signal: new AbortController().signal,
      ...more,
    };
    const answer: Asked = await askProgram(question);
    const left = Number(await Deno.readTextFile(`${directory}/left`));
    assert.match(await Deno.readTextFile(`/proc/${left}/stat`), /\) [^ZX] /, "it was waited for");
    Deno.kill(left, "SIGKILL");
    return answer;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const LEAVES = "sleep 100 & echo $! > left";

Deno.test("S33 a program's answer stands before its mark, whatever it leaves running", async () => {
  assert.deepStrictEqual(await asked(`${LEAVES}; printf said; printf MARK`, { endMark: "MARK" }), {
    kind: "answered",
    text: "said",
  });
  assert.deepStrictEqual(await asked(`${LEAVES}; printf MARK; exit 3`, { endMark: "MARK" }), { kind: "failed" });
});

Deno.test("S33 a question ends at its limit, although another program holds the answer open", async () => {
  assert.deepStrictEqual(await asked(`${LEAVES}; wait`, { longestMs: 500 }), { kind: "unanswered" });
  assert.deepStrictEqual(await asked(LEAVES, { longestMs: 500 }), { kind: "unanswered" });
});
