import assert from "node:assert/strict";
import { browserCommand } from "./open_browser.ts";

const URL_ = "https://auth.example/a?b=$(touch x)&c=;d";

Deno.test("O3 browserCommand() is one program with the address as one word", () => {
  const on = (environment: Readonly<Record<string, string>>) => browserCommand(environment, "linux", URL_);
  assert.deepStrictEqual(on({ BROWSER: "firefox" }), ["firefox", URL_]);
  assert.deepStrictEqual(on({ BROWSER: "open-it --new=%s -x", SSH_CONNECTION: "1" }), [
    "open-it",
    `--new=${URL_}`,
    "-x",
  ]);
  assert.deepStrictEqual(on({ DISPLAY: ":0" }), ["xdg-open", URL_]);
  assert.deepStrictEqual(on({ WAYLAND_DISPLAY: "w" }), ["xdg-open", URL_]);
  assert.deepStrictEqual(browserCommand({}, "darwin", URL_), ["open", URL_]);
});

Deno.test("O3 browserCommand() is undefined where a browser would open out of sight", () => {
  const environments = [{}, { DISPLAY: "" }, { DISPLAY: ":0", SSH_CONNECTION: "1 2" }, { DISPLAY: ":0", SSH_TTY: "x" }];
  const commands = environments.map((environment) => browserCommand(environment, "linux", URL_));
  assert.deepStrictEqual(commands, [undefined, undefined, undefined, undefined]);
  assert.strictEqual(browserCommand({ SSH_TTY: "x" }, "darwin", URL_), undefined);
});
