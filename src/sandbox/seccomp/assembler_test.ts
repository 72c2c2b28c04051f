import assert from "node:assert/strict";
import fc from "fast-check";
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

Deno.test("Assembler reaches labels farther away than a conditional jump does", () => {
  fc.assert(fc.property(
    fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 6 }),
    fc.nat(),
    (gaps, wanted) => {
      const assembler = new Assembler().load(0);
      gaps.forEach((_, index) => assembler.when("jumpIfEqual", index, { yes: `place ${index}` }));
      gaps.forEach((_, index) => assembler.when("jumpIfGreater", 1000 + index, { yes: "high", no: `place ${index}` }));
      gaps.forEach((gap, index) => {
        for (let i = 0; i < gap; i++) assembler.verdict(VERDICT.errno(99));
        assembler.label(`place ${index}`).verdict(VERDICT.errno(index));
      });
      assembler.label("high").verdict(VERDICT.allow);
      const program = assembler.program();
      const number = wanted % (gaps.length + 2);
      const seen = run(program, { architecture: 0, number });
      assert.equal(seen, VERDICT.errno(number < gaps.length ? number : 0));
      assert.equal(run(program, { architecture: 0, number: 2000 }), VERDICT.allow);
    },
  ));
});

Deno.test("Assembler refuses labels that are missing, doubled or behind, and programs the kernel would refuse", () => {
  const named = () => new Assembler().label("here").verdict(0);
  assert.throws(() => named().jump("there").program(), /"there" is missing/);
  assert.throws(() => named().label("here").program(), /"here" is doubled/);
  assert.throws(() => named().jump("here").program(), /"here" lies behind/);
  const endless = new Assembler();
  for (let i = 0; i < 4097; i++) endless.verdict(0);
  assert.throws(() => endless.program(), /4097 instructions are too many/);
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
