import assert from "node:assert/strict";
import type { Diagnostic } from "../../../base/diagnostic.ts";
import { COLOURED, PLAIN } from "../../terminal/colours.ts";
import { describeWithSource } from "./validate.ts";

const PROBLEM: Diagnostic = {
  severity: "error",
  file: "a.json",
  pointer: "/optons",
  line: 2,
  column: 4,
  message: "Field is unknown",
};

Deno.test("L3 describeWithSource() marks the place under its line", () => {
  const style = { excerpt: true, colours: PLAIN };
  const text = '{\n\t"\toptons": []\n}';
  assert.strictEqual(
    describeWithSource(PROBLEM, text, style),
    'a.json:2:4: error: Field is unknown (/optons)\n   " optons": []\n     ^',
  );
});

Deno.test("L3 describeWithSource() cuts a long line around the place", () => {
  const style = { excerpt: true, colours: PLAIN };
  const text = `{\n${"x".repeat(300)}Y${"z".repeat(300)}`;
  const [, source, mark] = describeWithSource({ ...PROBLEM, column: 301 }, text, style).split("\n");
  assert.strictEqual(source?.length, 98);
  assert.strictEqual(source?.[mark?.indexOf("^") ?? 0], "Y");
});

Deno.test("L3 describeWithSource() is one plain line in a pipe, and where no place is known", () => {
  const style = { excerpt: false, colours: PLAIN };
  assert.strictEqual(describeWithSource(PROBLEM, "{\n}", style), "a.json:2:4: error: Field is unknown (/optons)");
  const nowhere = { ...PROBLEM, line: 0, column: 0, pointer: "" };
  const terminal = { excerpt: true, colours: PLAIN };
  assert.strictEqual(describeWithSource(nowhere, "{\n}", terminal), "a.json: error: Field is unknown");
});

Deno.test("L3 describeWithSource() colours the place and the severity", () => {
  const style = { excerpt: false, colours: COLOURED };
  assert.strictEqual(
    describeWithSource({ ...PROBLEM, severity: "warning" }, undefined, style),
    "\x1b[1ma.json:2:4\x1b[0m: \x1b[33mwarning\x1b[0m: Field is unknown (/optons)",
  );
});
