/** Runs the body of a script from stdin with all permissions, and prints its value as JSON. */
const code = await new Response(Deno.stdin.readable).text();
const run = new Function(`return (async () => {${code}\n})()`) as () => Promise<unknown>;
const value = await run().catch((error) => `failed: ${error}`);
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(value)));
Deno.exit(0);
