import { rehearse } from "./warm_up.ts";

Deno.test("N5 a rehearsal comes to its end and leaves nothing open, again and again", async () => {
  for (let round = 0; round < 2; round++) await rehearse();
});
