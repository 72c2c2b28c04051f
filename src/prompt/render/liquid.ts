/** The template engine, loaded when the first template is rendered or checked. */

export type LiquidModule = typeof import("liquidjs");

/** The browser build: it contains no code that opens files, and loads no `node:` module. */
export async function loadLiquid(): Promise<LiquidModule> {
  return await import("liquidjs/browser");
}
