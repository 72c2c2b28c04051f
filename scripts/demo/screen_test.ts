import assert from "node:assert/strict";
import { Screen } from "./screen.ts";

function shown({ colour }: { readonly colour: boolean }): string {
  let text = "";
  const screen = new Screen({ colour, write: (more) => text += more });
  screen.title("name", "subtitle");
  screen.step(1, "a step");
  screen.asks("a question");
  screen.shows("two\nlines\n");
  screen.live(1_250, "later");
  screen.good("held");
  screen.bad("failed\nbecause");
  screen.end("the end", { good: true });
  return text;
}

Deno.test("Screen is plain without colour", () => {
  assert.equal(
    shown({ colour: false }),
    [
      "",
      "  name  subtitle",
      "",
      "  1  a step",
      "     → a question",
      "     │ two",
      "     │ lines",
      "     │  1.3 s  later",
      "     ✓ held",
      "     ✗ failed",
      "       because",
      "",
      "  the end",
      "",
      "",
    ].join("\n"),
  );
});

Deno.test("Screen with colour shows the same words", () => {
  // deno-lint-ignore no-control-regex -- the escape character is what a terminal takes
  assert.equal(shown({ colour: true }).replaceAll(/\x1b\[[\d;]*m/g, ""), shown({ colour: false }));
});
