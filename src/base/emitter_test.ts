import { strict as assert } from "node:assert";
import { Emitter } from "./emitter.ts";

Deno.test("Emitter tells every listener in the order they subscribed", () => {
  const heard: string[] = [];
  const emitter = new Emitter<string>(() => heard.push("error"));
  emitter.subscribe((event) => heard.push(`first ${event}`));
  emitter.subscribe((event) => heard.push(`second ${event}`));
  emitter.emit("a");
  assert.deepStrictEqual(heard, ["first a", "second a"]);
});

Deno.test("Emitter forgets a listener once it unsubscribed, even the same function subscribed twice", () => {
  const heard: string[] = [];
  const emitter = new Emitter<string>(() => heard.push("error"));
  const listener = (event: string) => void heard.push(event);
  const unsubscribe = emitter.subscribe(listener);
  emitter.subscribe(listener);
  unsubscribe();
  unsubscribe();
  emitter.emit("a");
  assert.deepStrictEqual([heard, emitter.size], [["a"], 1]);
});

Deno.test("Emitter goes on after a listener threw and reports what it threw", () => {
  const heard: unknown[] = [];
  const thrown = new Error("broken");
  const emitter = new Emitter<string>((error) => heard.push(error));
  emitter.subscribe(() => {
    throw thrown;
  });
  emitter.subscribe((event) => heard.push(event));
  emitter.emit("a");
  assert.deepStrictEqual(heard, [thrown, "a"]);
});
