/**
 * Trees in trees, whose ways commands exchange for links (S20). The attack catalogue does it while commands are launched;
 * here each state stands still, so that each outcome is certain.
 */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { exists, type User, usersAtHand, Workbench } from "./_support/workbench.ts";

const SECRET = "the-secret-outside";
/** `x/y`, the true tree, is put away, and `x/y` leads outside. */
const EXCHANGE = "mv x kept && mkdir x && ln -s OUTSIDE x/y";
const PUT_BACK = "rm -r x && mv kept x";
const LOOT = "cat x/y/secret secret; echo planted > x/y/planted; echo planted > planted; true";

for (const user of usersAtHand()) {
  Deno.test(`S20 a session's tree is never what a link on its way leads to, as ${user}`, async () => {
    using place = new NestedPlace(user);
    const { bench, inner, outside } = place;
    await using parent = await ServerProcess.start(bench);
    using own = new Workbench(user);
    await using child = await ServerProcess.start(own, { flags: ["--sandbox-scope", inner] });
    assert.match((await child.shell("echo inside > made; cat made")).text, /inside/);

    await parent.shell(EXCHANGE.replace("OUTSIDE", outside));
    assert.equal(await Deno.readTextFile(`${inner}/secret`), SECRET, "the link is a real way outside");
    const stolen = await child.shell(LOOT);
    assert.match(stolen.text, /cannot .* Nothing was run/);
    assert.deepStrictEqual([stolen.text.includes(SECRET), stolen.isError, place.planted], [false, true, false]);

    await parent.shell(PUT_BACK);
    assert.match((await child.shell("cat made")).text, /inside/);
  });

  // One sandbox has both trees, and each user's own files: the one with fewer rights tries it.
  if (user === "root") continue;
  Deno.test(`S20 a tree inside another tree of the session opens nothing after it is moved, as ${user}`, async () => {
    using place = new NestedPlace(user);
    const { bench, inner, outside } = place;
    const flags = ["--sandbox-scope", bench.scope, "--sandbox-scope", inner, "--write", inner];
    await using server = await ServerProcess.start(bench, { flags });
    const exchanged = await server.shell(`${EXCHANGE.replace("OUTSIDE", outside)} && echo exchanged`);
    assert.match(exchanged.text, /exchanged/);
    const stolen = await server.shell(LOOT);
    assert.deepStrictEqual([stolen.text.includes(SECRET), place.planted], [false, false]);

    // Renamed across the border of the two, which is no border for the kernel, and made again under its name.
    const line = `${PUT_BACK} && /usr/bin/python3 -c "import os; os.rename('x/y/file', 'file')" && cat file && ` +
      "rm -r x && mkdir -p x/y && echo again > x/y/file";
    assert.match((await server.shell(line)).text, /in the inner tree/);
    assert.match((await server.shell("cat x/y/file")).text, /again/);
  });
}

class NestedPlace implements Disposable {
  readonly bench: Workbench;

  constructor(user: User) {
    this.bench = new Workbench(user);
    this.bench.write("x/y/file", "in the inner tree\n");
    this.bench.write(`${this.outside}/secret`, SECRET);
  }

  get inner(): string {
    return `${this.bench.scope}/x/y`;
  }

  get outside(): string {
    return `${this.bench.elsewhere}/outside`;
  }

  /** Whether a command made a file outside. */
  get planted(): boolean {
    return exists(`${this.outside}/planted`);
  }

  [Symbol.dispose](): void {
    this.bench[Symbol.dispose]();
  }
}
