/** Processor time that the thread of a program took for `work`, milliseconds; other load does not count. */
export async function workOf<Value>(
  { pid }: { readonly pid: number },
  work: () => Promise<Value>,
): Promise<{ readonly ms: number; readonly value: Value }> {
  const now = async () => Number((await Deno.readTextFile(`/proc/${pid}/task/${pid}/schedstat`)).split(" ")[0]) / 1e6;
  const before = await now();
  const value = await work();
  return { ms: await now() - before, value };
}
