import assert from "node:assert/strict";
import { UserError } from "../base/errors.ts";
import { keepSettingsPlace } from "./protect_settings.ts";

async function inHome(test: (home: string) => Promise<void>): Promise<void> {
  const home = await Deno.realPath(await Deno.makeTempDir());
  try {
    await test(home);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

function kept(home: string, trees: readonly string[], more: Readonly<Record<string, string>> = {}): boolean | string {
  try {
    return keepSettingsPlace({ HOME: home, ...more }, trees.map((tree) => `${home}${tree}`));
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown.message.replaceAll(home, "~").replace(/^.*?: |[.] .*/gs, "");
    throw thrown;
  }
}

function exists(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test("S14 keepSettingsPlace() makes what commands could make, and nothing else", () =>
  inHome(async (home) => {
    await Deno.mkdir(`${home}/project`);
    assert.deepStrictEqual([kept(home, ["/project"]), exists(`${home}/.config`)], [false, false]);
    assert.deepStrictEqual([kept(home, ["/.config"]), exists(`${home}/.config/ahma`)], [true, true]);
    assert.deepStrictEqual([kept(home, [""]), exists(`${home}/.config/ahma`)], [true, true]);
    const elsewhere = { XDG_CONFIG_HOME: `${home}/project/settings` };
    assert.deepStrictEqual([kept(home, ["/.config"], elsewhere), exists(`${home}/project/settings`)], [false, false]);
    assert.deepStrictEqual([kept(home, ["/project"], elsewhere), exists(`${home}/project/settings/ahma`)], [
      true,
      true,
    ]);
  }));

Deno.test("S14 keepSettingsPlace() refuses what cannot be kept from commands", () =>
  inHome(async (home) => {
    for (const name of [".config/ahma", "dotfiles/ahma", "scope"]) {
      await Deno.mkdir(`${home}/${name}`, { recursive: true });
    }
    assert.strictEqual(
      kept(home, ["/.config/ahma"]),
      'it is part of a tree that commands may write to, "~/.config/ahma"',
    );
    await Deno.remove(`${home}/.config`, { recursive: true });
    await Deno.symlink("dotfiles", `${home}/.config`);
    // The link is out of reach, what it leads to is not: that is kept.
    assert.deepStrictEqual([kept(home, ["/dotfiles"])], [true]);
    assert.strictEqual(kept(home, [""]), 'the path leads through "~/.config", a link that commands could replace');
    await Deno.symlink(`${home}/dotfiles`, `${home}/scope/link`);
    await Deno.remove(`${home}/.config`);
    await Deno.symlink("scope/link", `${home}/.config`);
    assert.strictEqual(
      kept(home, ["/scope"]),
      'the path leads through "~/scope/link", a link that commands could replace',
    );
    await Deno.remove(`${home}/.config`);
    await Deno.writeTextFile(`${home}/.config`, "");
    assert.strictEqual(kept(home, [""]), "it cannot be created, and commands could create it");
  }));
