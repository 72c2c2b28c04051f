/** `ahma_mcp cache` (S25), as a person uses it: what a project's package managers keep, also after a new clone. */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, Workbench } from "./_support/workbench.ts";

Deno.test("S25 L1 cache lists what a project keeps, survives a new clone and goes when it is cleared", async () => {
  using bench = new Workbench("ordinary");
  const cache = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await runProgram(bench, ["cache", ...words]);
    return [code, stdout, stderr] as const;
  };
  assert.deepStrictEqual(await cache(), [0, "There is no cache\n", ""]);
  {
    await using server = await ServerProcess.start(bench, { flags: ["--private-home"] });
    await server.shell("printf '[user]\nname=other' > ~/.gitconfig; echo kept > ~/.tool");
    await server.shell(
      "mkdir -p $GOPATH/bin; printf '#!/bin/sh\\necho installed' > $GOPATH/bin/own; chmod +x $GOPATH/bin/own",
    );
    assert.match((await cache("list"))[1], new RegExp(`^ +1 KiB  in use       ${bench.scope}\n$`));
    assert.deepStrictEqual(await cache("clear"), [
      1,
      "",
      `Cannot clear the cache of "${bench.scope}": a server is using it. End that first\n`,
    ]);
  }
  await Deno.rename(bench.scope, `${bench.parent}/gone`);
  bench.write("new", "a clone");
  {
    await using server = await ServerProcess.start(bench, { flags: ["--private-home"] });
    const { text } = await server.shell("own; cat ~/.tool; git config user.name || echo none");
    assert.match(text, /^installed\nkept\nnone$/m);
    await server.shell(`own=$HOME; rm -r $own; ln -s ${bench.elsewhere} $own`);
  }
  {
    await using server = await ServerProcess.start(bench, { flags: ["--private-home"] });
    await server.shell("echo x > ~/.tool"); // a link in its place leads nowhere that commands may not go
    assert.deepStrictEqual([exists(`${bench.elsewhere}/.tool`), exists(`${bench.home}/.tool`)], [false, false]);
  }
  const [{ scope, in_use, path }] = JSON.parse((await cache("--json"))[1]).caches;
  assert.deepStrictEqual([scope, in_use], [bench.scope, false]);
  const line = `Cannot clear the cache of "${bench.home}": there is none. See ahma_mcp cache list\n`;
  assert.deepStrictEqual(await cache("clear", bench.home), [1, "", line]);
  assert.deepStrictEqual(await cache("clear"), [0, `Cleared the cache of ${bench.scope}\n`, ""]);
  assert.deepStrictEqual([exists(path), exists(`${path}.scope`)], [false, false]);
  const [code, , problem] = await cache("purge");
  assert.deepStrictEqual(code, 2);
  assert.match(problem, /Cannot "purge" caches\. Say "cache list" or "cache clear/);
});

// The kernel asks of a lock only that the file is open: as root here, and as another user above.
Deno.test("S25 a command that holds the lock of another project's cache delays no server there", async () => {
  using bench = new Workbench();
  using other = new Workbench();
  const records = `${bench.home}/.cache/ahma_mcp/scopes`;
  /** Where the commands of a server in the other project have their cache, and what its start says. */
  const start = async () => {
    const environment = { HOME: bench.home };
    await using server = await ServerProcess.start(other, { flags: ["--log-to-stderr"], environment });
    const { text } = await server.shell('echo "$XDG_CACHE_HOME" && mkdir -p "$XDG_CACHE_HOME/made" && echo usable');
    const [cache = "", usable] = text.split("\n");
    const said = /The project's cache is not used: [^\n"]*/.exec(server.stderr)?.[0];
    return { isKept: cache.startsWith(records), usable, said };
  };
  const kept = { isKept: true, usable: "usable", said: undefined };
  assert.deepStrictEqual(await start(), kept);
  {
    await using hostile = await ServerProcess.start(bench, { flags: ["--read", bench.home] });
    await hostile.start(
      `exec 9< $(grep -l ${other.scope} ${records}/*.scope) && flock -x 9 && touch held && exec sleep 600`,
    );
    await bench.appears("held");
    const said = "The project's cache is not used: another program holds a lock on ";
    assert.deepStrictEqual(await start(), { isKept: false, usable: "usable", said });
    const cleared = await runProgram(bench, ["cache", "clear", other.scope]);
    assert.strictEqual(
      cleared.stderr,
      `Cannot clear the cache of "${other.scope}": a server is using it. End that first\n`,
    );
  }
});
