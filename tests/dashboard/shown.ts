/** A dashboard whose page a browser shows, for all tests of a file: a browser and a page cost more than most tests. */
import type { Workbench } from "../_support/workbench.ts";
import { Browser, type Tab } from "./browser.ts";
import { DashboardProcess } from "./dashboard_process.ts";

const SIZE = { width: 1280, height: 800 };

export class Shown implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly dashboard: DashboardProcess;
  readonly browser: Browser;
  readonly #tab: Tab;
  #loads = 0;

  private constructor(stack: AsyncDisposableStack, dashboard: DashboardProcess, browser: Browser, tab: Tab) {
    [this.#stack, this.dashboard, this.browser, this.#tab] = [stack, dashboard, browser, tab];
  }

  static async start(bench: Workbench): Promise<Shown> {
    await using stack = new AsyncDisposableStack();
    const dashboard = stack.use(await DashboardProcess.start(bench));
    const browser = stack.use(await Browser.start());
    return new Shown(stack.move(), dashboard, browser, await browser.open("about:blank"));
  }

  /** Loads the one page again, without problems of the test before. Absent `url`: the dashboard's. */
  async load({ url = this.dashboard.url, width = SIZE.width, height = SIZE.height } = {}): Promise<Tab> {
    await this.#tab.resize(width, height);
    await this.#tab.colours("light");
    // Another fragment alone would not load it.
    await this.#tab.goTo(url.replace("/#", `/?${++this.#loads}#`));
    this.#tab.problems.length = 0;
    return this.#tab;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
