import type { Programs } from "./programs.ts";
import type { Row } from "./report.ts";
import { StdioClient } from "./stdio_client.ts";
import { timesOf } from "./samples.ts";

const QUEUED = 1_000;

/** The answer of a background call, and of `status` with a thousand operations running or queued (N2). */
export async function operations(programs: Programs): Promise<readonly Row[]> {
  await using client = new StdioClient(programs.packed());
  await client.initialize();
  const answers: number[] = [];
  for (let call = 0; call < 200; call++) {
    const begin = performance.now();
    const { operation } = await client.call("sandboxed_shell", { command: "true", execution_mode: "AsyncResultPush" });
    answers.push(performance.now() - begin);
    await client.call("await", { operation_id: operation });
  }
  const statusTimes = () => timesOf(200, () => client.call("status", {}));
  const empty = await statusTimes();
  await Promise.all(
    Array.from(
      { length: QUEUED },
      () => client.call("sandboxed_shell", { command: "sleep 600", execution_mode: "AsyncResultPush" }),
    ),
  );
  const full = await statusTimes();
  return [
    {
      measure: "background call, answer with the id",
      unit: "ms",
      ours: answers,
      target: { text: "N2: < 1 ms", met: ({ p50 }) => p50 < 1 },
    },
    {
      measure: "status with 1,000 running or queued",
      unit: "ms",
      ours: full,
      floor: { name: "status, none running", samples: empty },
      target: { text: "N2: <= 2 ms", met: ({ p50 }) => p50 <= 2 },
    },
  ];
}
