import assert from "node:assert/strict";
import { fence } from "./fence.ts";
import { programDirectories } from "./program_path.ts";

const ROOT = Deno.uid() === 0 && Deno.build.os === "linux";

/** Those of the programs that are found behind the fence. */
async function reached(whats: readonly string[], programs: readonly string[]): Promise<readonly string[]> {
  const place = await Deno.makeTempDir();
  try {
    const all = whats.map((what) => ({ what, debianPackage: "no-such-package", neededBy: "this test" }));
    const directories = programDirectories(Deno.env.get("PATH") ?? "");
    const said: string[] = [];
    const prefix = await fence({ all, directories, place }, (line) => said.push(line));
    assert.deepStrictEqual(said, []);
    const line = 'for one; do [ -x "$(command -v "$one")" ] && echo "$one"; done; true';
    const [command = "", ...args] = [...prefix, "sh", "-c", line, "sh", ...programs];
    const env = { PATH: directories.join(":") };
    const { stdout } = await new Deno.Command(command, { args, env }).output();
    return new TextDecoder().decode(stdout).split("\n").filter((name) => name !== "");
  } finally {
    await Deno.remove(place, { recursive: true });
  }
}

Deno.test({
  name: `G1 fence() hides programs of no named package, by name and by path, and leaves what those depend on${
    ROOT ? "" : " (ignored: only root can hide programs)"
  }`,
  ignore: !ROOT,
  async fn() {
    const programs = ["sh", "node", "git", "gcc", "/usr/bin/gcc", "/bin/gcc", "/bin/ls"];
    assert.deepStrictEqual(await reached(["git"], programs), ["sh", "node", "git", "/bin/ls"]);
    assert.deepStrictEqual(await reached(["g++"], programs), programs.filter((name) => name !== "git"));
  },
});
