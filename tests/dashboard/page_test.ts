/** What a person does on the page of the dashboard, in a browser, with real servers below it (V2). */
import assert from "node:assert/strict";
import { ServerProcess } from "../_support/server_process.ts";
import { sharing } from "../_support/sharing.ts";
import { usersAtHand, Workbench } from "../_support/workbench.ts";
import type { Tab } from "./browser.ts";
import { DashboardProcess } from "./dashboard_process.ts";
import { Shown } from "./shown.ts";

const [USER = "root"] = usersAtHand();
const ROW = ".rows a";
const FOCUSED = "document.activeElement";

function idIn({ text }: { readonly text: string }): string {
  return /\bop_\w+/.exec(text)?.[0] ?? assert.fail(text);
}

async function stateIs(tab: Tab, word: string): Promise<void> {
  await tab.seeText(".facts dd", word);
}

/** One server for what does not end it, and the page. */
const test = sharing(async (bench) => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await ServerProcess.start(bench, { flags: ["--ask", "read", "--undo"] }));
  const shown = stack.use(await Shown.start(bench));
  const all = stack.move();
  return { server, shown, [Symbol.asyncDispose]: () => all.disposeAsync() };
}, USER);

test("V2 output is on the page while its command runs, a line is typed, and one confirmation ends all its processes", async ({ bench, server: { server, shown } }) => {
  const tab = await shown.load();
  await server.start(
    "printf '\\033[32mbegun\\033[0m\\n'; read line; echo got $line; (sleep 306 & sleep 306); true",
    { input: true },
  );
  await tab.click(ROW, "begun");
  await tab.seeText(".console .line", "begun");
  assert.match(await tab.read<string>("document.querySelector('.console .line span').style.color"), /var\(--c2\)/);
  await stateIs(tab, "running");
  await tab.click(".input-line input");
  await tab.type("hello");
  await tab.press("Enter");
  await tab.seeText(".console .line", "got hello");
  await bench.processesAppear("sleep 306");
  await tab.click(".actions button", "Cancel");
  await tab.seeText(".asked", "End it and all its processes?");
  await tab.click(".asked button", "Keep it");
  await stateIs(tab, "running");
  await bench.processesAppear("sleep 306");
  await tab.click(".actions button", "Cancel");
  await tab.click(".asked button", "End it");
  await bench.processesGone("sleep 306");
  await stateIs(tab, "cancelled");
  await tab.see("!document.querySelector('.input-line') && !document.querySelector('.actions .danger')");
  assert.deepStrictEqual(tab.problems, []);
});

test("V2 a terminal takes keys, pasted text and tabs, shows its screen, and a key leaves it", async ({ server: { server, shown } }) => {
  await server.start("read -r name; clear; echo hello-$name; stty -icanon -echo; printf '\\033[?1hready\\n'; cat -v", {
    tty: true,
  });
  const tab = await shown.load();
  await tab.click(ROW, "read -r name");
  await tab.click("button", "Type into the terminal");
  await tab.type("world");
  await tab.press("Enter");
  await tab.seeText(".screen .line", "hello-world");
  await tab.seeText(".screen .line", "ready");
  for (const key of ["ArrowUp", "Tab", "F5", "Ctrl+A", "x"]) await tab.press(key);
  await tab.seeText(".screen .line", "^[OA\t^[[15~^Ax".replace("\t", "    "));
  await tab.send("Input.insertText", { text: "pasted ünd" });
  await tab.seeText(".screen .line", "pasted M-CM-<nd");
  assert.strictEqual(await tab.read(`${FOCUSED}.tagName`), "TEXTAREA");
  await tab.press("Ctrl+]");
  assert.strictEqual(await tab.read(`${FOCUSED}.innerText`), "Type into the terminal");
  await tab.press("Enter");
  for (const key of ["Escape", "Escape"]) await tab.press(key);
  await tab.see(`${FOCUSED}.tagName === "BUTTON"`, "that Esc twice leaves the terminal");
  await stateIs(tab, "running");
  await tab.click(".actions button", "Show as lines");
  await tab.seeText(".console .line", "hello-world");
  assert.deepStrictEqual(tab.problems, []);
});

test("V2 a question is answered on the page, and what it allowed is taken back there", async ({ bench, server: { server, shown } }) => {
  const file = bench.write(`${bench.elsewhere}/data/f`, "of data\n");
  const tab = await shown.load();
  const denied = await server.shell(`cat ${file}`);
  assert.match(denied.text, /grants allow q_/);
  await tab.seeText("#asking .question", "wants to read");
  await tab.seeText("#announce", "A question waits");
  await tab.click("#asking button", "This session");
  await tab.see("document.querySelector('#asking').hidden", "that no question waits");
  assert.match((await server.shell(`cat ${file}`)).text, /^of data/);
  await tab.click("nav a", "Permissions");
  await tab.seeText(".cards li", "--read");
  await tab.click(".cards button", "Take back");
  await tab.click(".asked button", "Take it back");
  await tab.see("!document.querySelector('.cards .confirmed')", "that nothing is granted");
  assert.doesNotMatch((await server.shell(`cat ${file}`)).text, /^of data/);
  assert.deepStrictEqual(tab.problems, []);
});

test("V2 what an operation changed is shown on the page, and put back after a confirmation", async ({ bench, server: { server, shown } }) => {
  const kept = bench.write("kept.txt", "as it was\n");
  const id = idIn(await server.shell("echo other > kept.txt; echo new > new.txt"));
  const tab = await shown.load();
  await tab.click(ROW, "echo other");
  await tab.click("button", "Changes and undo");
  await tab.seeText(".paths li", "new.txt");
  await tab.seeText(".diff .line", "+other");
  await tab.click(".changes button", "Undo");
  assert.strictEqual(await Deno.readTextFile(kept), "other\n", "nothing is done before the confirmation");
  await tab.click(".asked button", "Put it back");
  await tab.seeText(".changes .said", "Put back 2 paths");
  assert.strictEqual(await Deno.readTextFile(kept), "as it was\n");
  assert.match(await tab.read<string>("location.hash"), new RegExp(`^#op/[^/]+/${id}$`));
  assert.deepStrictEqual(tab.problems, []);
});

test("V2 a page that is loaded again goes on, and says when a server or the dashboard has died", async ({ server: { shown } }) => {
  using bench = new Workbench(USER);
  await using dying = await ServerProcess.start(bench);
  const dashboard = await DashboardProcess.start(bench);
  const tab = await shown.load({ url: dashboard.url });
  await dying.start("echo one; until [ -e go ]; do sleep 0.05; done; echo two; sleep 307");
  await tab.click(ROW, "echo one");
  await tab.seeText(".console .line", "one");
  assert.ok(!(await tab.read<string>("location.href")).includes(dashboard.token));
  await tab.send("Page.reload");
  await tab.seeText(".console .line", "one");
  bench.write("go", "");
  await tab.seeText(".console .line", "two");
  dying.kill("SIGKILL");
  await tab.seeText(".notice", "has ended");
  await tab.seeText(".empty", "No server runs");
  await tab.seeText(".console .line", "two");
  const link = await tab.read<string>("location.href");
  const copied = await shown.browser.open(link);
  await copied.seeText("main", "This page needs a token");
  await dashboard[Symbol.asyncDispose]();
  await tab.seeText("#connection", "Connection lost");
  const { port } = new URL(dashboard.address);
  await using again = await DashboardProcess.start(bench, ["--port", port]);
  await tab.seeText("main", "This page needs a token");
  await tab.goTo(again.url);
  await tab.seeText("#connection", "Connected");
  await tab.seeText(".empty", "No server runs");
  assert.deepStrictEqual([...tab.problems, ...copied.problems], []);
  await dying.exit();
});

test("V2 a flood of lines and a line of a million columns are cut, and a reader who scrolls up stays there", async ({ bench, server: { server, shown } }) => {
  const tab = await shown.load();
  await server.start(
    "until [ -e go ]; do sleep 0.05; done; head -c 1000000 /dev/zero | tr '\\0' w; echo; seq 200000; echo flooded; " +
      "until [ -e more ]; do sleep 0.05; done; echo the end; sleep 308",
  );
  await tab.click(ROW, "until");
  bench.write("go", "");
  await tab.seeText(".console .line", "flooded");
  const seen = await tab.read<{ lines: number; characters: number; width: number; isAtEnd: boolean }>(`(() => {
    const box = document.querySelector(".console");
    const lines = [...box.querySelectorAll(".line")];
    return {
      lines: lines.length,
      characters: lines.reduce((sum, { textContent }) => sum + textContent.length, 0),
      width: document.documentElement.scrollWidth - innerWidth,
      isAtEnd: box.scrollTop + box.clientHeight >= box.scrollHeight - 24,
    };
  })()`);
  assert.ok(seen.lines > 1_000 && seen.lines <= 5_001, `${seen.lines} lines`);
  assert.ok(seen.characters <= 1024 * 1024, `${seen.characters} characters`);
  assert.deepStrictEqual([seen.width <= 0, seen.isAtEnd], [true, true]);
  await tab.seeText(".console .note", "not shown");
  await tab.read("document.querySelector('.console').scrollTop = 0");
  await tab.see("!document.querySelector('.tools .end input').checked", "that the page does not follow");
  bench.write("more", "");
  await tab.seeText(".console .line", "the end");
  assert.strictEqual(await tab.read("document.querySelector('.console').scrollTop"), 0);
  await tab.click(".output input[type=search]");
  await tab.type("19999");
  await tab.seeText(".output .quiet", "10 lines");
  assert.deepStrictEqual(tab.problems, []);
});
