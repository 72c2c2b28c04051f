/**
 * `deno task demo:dashboard`: two agents at work in temporary projects, and the dashboard's page of them in Chromium. It
 * writes what the page showed to docs/dashboard.png, for the README.
 */
import { ServerProcess } from "../../../tests/_support/server_process.ts";
import { Workbench } from "../../../tests/_support/workbench.ts";
import { Browser } from "../../../tests/dashboard/browser.ts";
import { DashboardProcess } from "../../../tests/dashboard/dashboard_process.ts";

const PICTURE = new URL("../../../docs/dashboard.png", import.meta.url).pathname;
const SIZE = { width: 1280, height: 760 };

/** A test run of some thirty seconds, with colours. */
const TESTS = `
import sys, time
names = ["cart", "checkout", "orders", "prices", "search", "session", "stock", "users"]
print("\\033[1mrunning 48 tests\\033[0m", flush=True)
for number in range(48):
    name = names[number % 8]
    ok = number != 13
    mark = "\\033[32mok\\033[0m" if ok else "\\033[31mFAILED\\033[0m"
    print(f"test {name}::case_{number // 8 + 1:02} ... {mark}", flush=True)
    if number > 19: time.sleep(1)
`;
const PAGE = "<!doctype html><title>shop</title><h1>Shop</h1>\n";
const TODO = "# TODO: round prices\ndef price(amount):\n    return amount\n";

using bench = new Workbench();
const [shop, api] = [`${bench.parent}/shop`, `${bench.parent}/prices`];
bench.write(`${shop}/run_tests.py`, TESTS);
bench.write(`${shop}/index.html`, PAGE);
bench.write(`${api}/prices.py`, TODO);
bench.write(`${api}/import.py`, "import time\ntime.sleep(60)\n");
bench.write(`${bench.home}/.ssh/id_ed25519`, "not a key\n");

await using web = await agent("editor", ["--sandbox-scope", shop, "--undo"]);
await using other = await agent("terminal", ["--sandbox-scope", api, "--network", "packages"]);
await other.shell("grep -rn TODO .");
await other.shell("cat ~/.ssh/id_ed25519");
await other.shell("curl -sS https://example.com");
await other.shell("sed -i 's/return amount/return round(amount, 2)/' prices.py && cat prices.py");
await web.shell("ls -la");
await web.start("python3 -m http.server 8000", { until_port: 8000 });
await other.start("python3 import.py prices.csv");
await web.start("python3 run_tests.py");

await using dashboard = await DashboardProcess.start(bench);
await using browser = await Browser.start();
const tab = await browser.open(dashboard.url, SIZE);
await tab.click(".rows a", "run_tests.py");
await tab.seeText(".console .line", "prices::case_03");
// The place is that of this run.
await tab.read(`{
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    walker.currentNode.data = walker.currentNode.data.replace(${JSON.stringify(bench.parent)}, "/home/me");
  }
}`);
await tab.screenshot(PICTURE);
if (tab.problems.length > 0) throw new Error(tab.problems.join("\n"));
// Each server looks for processes that are left, so that the others end first.
web.kill("SIGKILL");
await web.exit();
await Deno.stdout.write(new TextEncoder().encode(`Drew ${PICTURE}\n`));

/** A server whose client has this name. */
async function agent(name: string, flags: readonly string[]): Promise<ServerProcess> {
  const server = await ServerProcess.start(bench, { era: "none", flags, permissions: ["--allow-net"] });
  const clientInfo = { name, version: "1.0" };
  await server.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  await server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return server;
}
