import assert from "node:assert/strict";
import fc from "fast-check";
import { quote } from "../base/text.ts";
import { chooseShell, encodeShellCommand, lineArguments } from "./shell.ts";

const BASH = { path: "/bin/bash", name: "bash", canWait: true };

Deno.test("P2 chooseShell() takes the one asked for, else bash, and says what is missing", () => {
  const chosen = chooseShell("sh", ["/nowhere", "/bin"]);
  assert.deepStrictEqual(chosen, { ok: true, value: { path: "/bin/sh", name: "sh", canWait: false } });
  const usual = chooseShell(undefined, []);
  assert.deepStrictEqual(usual.ok && usual.value.name, "bash");
  assert.ok(!chooseShell("/no/shell", []).ok);
});

Deno.test("P2 lineArguments() makes no shell read a profile or start-up file", () => {
  assert.deepStrictEqual(lineArguments(BASH, "x"), ["bash", "--noprofile", "--norc", "-c", "x"]);
  assert.deepStrictEqual(lineArguments({ ...BASH, name: "zsh" }, "x"), ["zsh", "-f", "-c", "x"]);
  assert.deepStrictEqual(lineArguments({ ...BASH, name: "dash" }, "x"), ["dash", "-c", "x"]);
});

Deno.test("encodeShellCommand() puts everything before the line on the line's first line", () => {
  const text = encodeShellCommand("a\nb", "/d", { X: "1\n2" });
  assert.ok(text.endsWith(";a\nb\0"));
});

Deno.test("quote() makes one shell word of any text", async () => {
  const texts = fc.sample(fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", "")), 200);
  const script = `printf '%s\\0' ${texts.map(quote).join(" ")}`;
  const { stdout } = await new Deno.Command("bash", { args: ["-c", script] }).output();
  assert.deepStrictEqual(new TextDecoder().decode(stdout).split("\0").slice(0, -1), texts);
});
