import assert from "node:assert/strict";
import { projectDirectory } from "./project_directories.ts";

Deno.test("T1 projectDirectory() is the working directory in a scope, else the first scope", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (const name of ["a/in", "b"]) await Deno.mkdir(`${base}/${name}`, { recursive: true });
    await Deno.symlink(`${base}/a`, `${base}/link`);
    const [a, b, inside, link] = [`${base}/a`, `${base}/b`, `${base}/a/in`, `${base}/link`];
    assert.deepStrictEqual(
      [
        projectDirectory([], base),
        projectDirectory([a], a),
        projectDirectory([b, a], inside),
        projectDirectory([link], inside),
        projectDirectory([a, b], base),
        projectDirectory(["in"], a),
        projectDirectory(["gone", "b"], base),
        projectDirectory(["gone"], base),
      ],
      [base, a, inside, inside, a, inside, b, base],
    );
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
