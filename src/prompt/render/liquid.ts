/** The template engine, loaded when the first template is rendered or checked. */

export type LiquidModule = typeof import("liquidjs");

/** The build for browsers: it holds no code that opens a file, and loads no module of Node's. */
export async function loadLiquid(): Promise<LiquidModule> {
  return await import("liquidjs/browser");
}
