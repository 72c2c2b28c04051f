/** The floor of a start: a loop over lines that answers each request with nothing, under the same runtime. */
const decoder = new TextDecoder();
const encoder = new TextEncoder();
let rest = "";
for await (const chunk of Deno.stdin.readable) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id } = JSON.parse(line);
    const answer = { jsonrpc: "2.0", id, result: {} };
    if (id !== undefined) Deno.stdout.writeSync(encoder.encode(`${JSON.stringify(answer)}\n`));
  }
}
