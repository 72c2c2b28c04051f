import assert from "node:assert/strict";
import { run } from "./_support/machine.ts";
import { Assembler } from "./assembler.ts";
import { encode, OPERATION, VERDICT } from "./bpf.ts";

Deno.test("Assembler assembles what the kernel's own assembler would", () => {
  const program = new Assembler().load(4).when("jumpIfEqual", 0xc000003e, { no: "kill" }).load(0)
    .and(0xff).jump("out").label("kill").verdict(VERDICT.killProcess).label("out").verdict(VERDICT.allow).program();
  assert.deepStrictEqual(program, [
    { code: OPERATION.load, whenTrue: 0, whenFalse: 0, k: 4 },
    { code: OPERATION.jumpIfEqual, whenTrue: 0, whenFalse: 3, k: 0xc000003e },
    { code: OPERATION.load, whenTrue: 0, whenFalse: 0, k: 0 },
    { code: OPERATION.and, whenTrue: 0, whenFalse: 0, k: 0xff },
    { code: OPERATION.jump, whenTrue: 0, whenFalse: 0, k: 1 },
    { code: OPERATION.verdict, whenTrue: 0, whenFalse: 0, k: 0x80000000 },
    { code: OPERATION.verdict, whenTrue: 0, whenFalse: 0, k: 0x7fff0000 },
  ]);
  assert.deepStrictEqual(encode(program).slice(8, 16), new Uint8Array([0x15, 0, 0, 3, 0x3e, 0, 0, 0xc0]));
});

Deno.test("Assembler refuses labels that are missing, doubled, behind, or too far for a conditional jump", () => {
  const named = () => new Assembler().label("here").verdict(0);
  assert.throws(() => named().jump("there").program(), /"there" is missing/);
  assert.throws(() => named().label("here").program(), /"here" is doubled/);
  assert.throws(() => named().jump("here").program(), /"here" lies behind/);
  const over = (count: number) => {
    const assembler = new Assembler().load(0).when("jumpIfEqual", 7, { yes: "far" });
    for (let i = 0; i < count; i++) assembler.verdict(VERDICT.errno(99));
    return assembler.label("far").verdict(VERDICT.allow).program();
  };
  assert.equal(run(over(255), { architecture: 0, number: 7 }), VERDICT.allow);
  assert.throws(() => over(256), /"far" lies too far/);
});

Deno.test("the machine of the tests refuses programs that the kernel refuses", () => {
  const call = { architecture: 0, number: 0 };
  const one = (code: number, k: number) => [{ code, whenTrue: 0, whenFalse: 0, k }];
  assert.throws(() => run([], call), RangeError);
  assert.throws(() => run(one(OPERATION.jump, 7), call), RangeError);
  assert.throws(() => run(one(OPERATION.load, 64), call), RangeError);
  assert.throws(() => run(one(OPERATION.load, 3), call), RangeError);
  assert.throws(() => run(one(0x99, 0), call), RangeError);
});
