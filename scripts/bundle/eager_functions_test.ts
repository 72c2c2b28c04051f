import assert from "node:assert/strict";
import { withEagerFunctions } from "./eager_functions.ts";

const MODULE = `import{sep as s}from"node:path";const seen=[later(),typeof inner,s];` +
  "function later(){return`}${1}function no(){}`}async function*many(){yield*[1,2]}" +
  "function once(){once=()=>2;return 1}class A{later(){function inner(){}return inner.name}}function self(n){return n>0?self(n-1):self.name}" +
  "export{seen,later,many,A,self as own,once};";

async function loaded(text: string): Promise<unknown> {
  const all = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const { seen, later, many, A, own, once } = all;
  return [
    seen,
    later(),
    await Array.fromAsync(many()),
    new A().later(),
    own(3),
    once(),
    all.once(),
    later.name,
    Object.keys(all),
  ];
}

Deno.test("N3 withEagerFunctions() puts outermost functions first and in parentheses, and changes nothing else", async () => {
  const text = withEagerFunctions(MODULE);
  assert.deepStrictEqual(await loaded(text), await loaded(MODULE));
  assert.match(
    text,
    /^var later=\(function \(\)\{.*;var many=\(async function\*\(\).*;var self=\(function \(n\)/,
  );
  assert.equal(text.match(/\(function/g)?.length, 3);
  assert.match(text, /class A\{later\(\)\{function inner\(\)\{\}/);
});
