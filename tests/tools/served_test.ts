import { tryGroup } from "./trial.ts";

await tryGroup("served");
