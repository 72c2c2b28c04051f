import { warmUp } from "./warm_up.ts";

Deno.test("N5 warmUp() resolves and leaves nothing open, each time", async () => {
  for (let round = 0; round < 2; round++) await warmUp();
});
