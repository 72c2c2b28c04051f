import assert from "node:assert/strict";
import { PROJECT } from "./_support/assets.ts";
import { changelogSection, releaseNotes } from "./notes.ts";

Deno.test("D4 releaseNotes() begins with what the changelog says of this version", async () => {
  const changelog = await Deno.readTextFile(new URL("../../CHANGELOG.md", import.meta.url));
  const notes = releaseNotes(PROJECT, changelog);
  assert.ok(notes.startsWith("The first version."), notes.slice(0, 100));
  assert.ok(notes.includes("gh attestation verify FILE --repo owner/ahma_mcp"));
  assert.deepStrictEqual(notes.match(/\]\(docs\//), null, "links lead from the release page");
});

Deno.test("D4 changelogSection() takes the newest section only, and refuses another version", () => {
  const text = "# Changelog\n\n## 2.0.0\n\nNew: [a](docs/a.md).\n\n## 1.0.0\n\nOld.\n";
  assert.strictEqual(changelogSection(text, "2.0.0"), "\nNew: [a](../../blob/HEAD/docs/a.md).\n\n");
  assert.throws(() => changelogSection(text, "1.0.0"), /CHANGELOG\.md begins with "2\.0\.0", not 1\.0\.0/);
});
