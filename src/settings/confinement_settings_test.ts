import assert from "node:assert/strict";
import { DEFAULT_CONFINEMENT } from "../sandbox/policy/confinement.ts";
import { confinementFrom } from "./confinement_settings.ts";
import { flagValues } from "./flags/flag_values.ts";

Deno.test("S6 S10 confinementFrom() gives the sandbox's own defaults where nothing is said", () => {
  const values = flagValues({ typed: new Map(), environment: {}, files: [] });
  assert.ok(values.ok);
  assert.deepStrictEqual(confinementFrom(values.value), DEFAULT_CONFINEMENT);
});
