import assert from "node:assert/strict";
import { acceptableAbi, supportedProcessor } from "./prerequisites.ts";

Deno.test("S12 acceptableAbi() explains each way the kernel says no, with the remedy", () => {
  const answers = [[-38, "CONFIG_SECURITY_LANDLOCK"], [-95, "lsm="], [-1, "outer sandbox"], [-22, "error 22"]] as const;
  for (const [answer, remedy] of answers) {
    const refused = acceptableAbi(answer, undefined);
    assert.ok(!refused.ok && refused.problem.includes(remedy) && refused.problem.includes("--no-sandbox"), remedy);
  }
});

Deno.test("S2 acceptableAbi() takes ABI 1 and up, unless --require-abi asks for more", () => {
  assert.deepStrictEqual(acceptableAbi(1, undefined), { ok: true, value: 1 });
  assert.deepStrictEqual(acceptableAbi(7, 7), { ok: true, value: 7 });
  assert.ok(!acceptableAbi(7, 9).ok);
});

Deno.test("S12 supportedProcessor() refuses what the launcher does not exist for", () => {
  assert.deepStrictEqual(supportedProcessor("linux", "aarch64"), { ok: true, value: "aarch64" });
  assert.deepStrictEqual([supportedProcessor("darwin", "aarch64").ok, supportedProcessor("linux", "riscv64").ok], [
    false,
    false,
  ]);
});
