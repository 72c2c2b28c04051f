import LISTS from "./presets.json" with { type: "json" };

/** Shipped lists by name: the registries of package managers, and the hosts of repositories. */
export const PRESETS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(LISTS));
