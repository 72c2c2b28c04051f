import assert from "node:assert/strict";
import fc from "fast-check";
import { stringify as toToml } from "smol-toml";
import { stringify as toYaml } from "yaml";
import { type EntryPlace, isTable, type Table, valueAt, withValue } from "./entry_place.ts";
import { jsonFormat } from "./json_format.ts";
import { withEntry, withoutEntry } from "./settings_change.ts";
import { tomlFormat } from "./toml_format.ts";
import { yamlFormat } from "./yaml_format.ts";

const VALUE = { name: "Ahma", command: '/a "b"', args: ["x", "]", "# no"], env: { A: "1" } };
const PLACES: Readonly<Record<string, EntryPlace>> = {
  json: { format: "json", keys: ["mcpServers"] },
  "json below": { format: "json", keys: ["mcp", "servers"] },
  toml: { format: "toml", keys: ["mcp_servers"] },
  "toml list": { format: "toml", keys: ["mcp_servers"], list: true },
  yaml: { format: "yaml", keys: ["mcp", "servers"] },
  "yaml list": { format: "yaml", keys: ["mcpServers"], list: true },
};
const FORMATS = { json: await jsonFormat(), toml: await tomlFormat(), yaml: await yamlFormat() } as const;
const WRITERS = { json: (values: Table) => JSON.stringify(values, null, "\t"), toml: toToml, yaml: toYaml } as const;

function entryIn(place: EntryPlace) {
  return { file: "settings", place, name: "Ahma" };
}

const KEY = fc.stringMatching(/^[a-zA-Z_]{1,8}$/).filter((key) => !["__proto__", "Ahma", "name"].includes(key));
const SCALAR = fc.oneof(fc.string(), fc.integer({ min: 0, max: 1000 }), fc.boolean());
const TABLE = fc.dictionary(KEY, fc.oneof(SCALAR, fc.array(fc.string()), fc.dictionary(KEY, SCALAR)));
const OTHERS = fc.array(fc.tuple(KEY, TABLE), { maxLength: 3 });

/** Settings with entries of others in the place. */
function settingsWith(place: EntryPlace, rest: Table, others: readonly (readonly [string, Table])[]): Table {
  const { [place.keys[0] ?? ""]: _, ...free } = rest;
  return others.reduce<Table>((root, [name, value]) => {
    return withValue(root, place, name, place.list === true ? { ...value, name } : value) ?? root;
  }, free);
}

for (const [kind, place] of Object.entries(PLACES)) {
  const format = FORMATS[place.format];
  const parsed = (text: string) => JSON.parse(JSON.stringify(format.parse(text) ?? {}));

  Deno.test(`D5 an entry comes into a ${kind} file and goes out of it, and all else stays (property)`, async () => {
    await fc.assert(
      fc.asyncProperty(TABLE, OTHERS, async (rest, others) => {
        const settings = settingsWith(place, rest, others);
        const text = WRITERS[place.format](settings);
        const before = parsed(text);
        const added = await withEntry(text, entryIn(place), VALUE);
        assert.deepStrictEqual(valueAt(parsed(added), place, "Ahma"), VALUE);
        assert.deepStrictEqual(parsed(added), withValue(before, place, "Ahma", VALUE));
        assert.deepStrictEqual(await withEntry(added, entryIn(place), VALUE), added, "it is there already");
        const other = { ...VALUE, args: ["other"] };
        assert.deepStrictEqual(valueAt(parsed(await withEntry(added, entryIn(place), other)), place, "Ahma"), other);
        const gone = await withoutEntry(added, entryIn(place));
        assert.deepStrictEqual(gone === undefined ? {} : parsed(gone), before);
      }),
      { numRuns: 25 },
    );
  });
}

/** JSON as people write it: what init adds, uninstall takes away to the byte. */
const WRITTEN: readonly string[] = [
  '{\n  // theme\n  "theme": "One Dark", // dark at night\n  "vim_mode": true // needed for keys\n}',
  '{\n\t"mcpServers": {\n\t\t"x": {} /* c */\n\t\t// after\n\t},\n\t"b": [1,2]\n}\n',
  '{\r\n  "mcpServers": {\r\n    "x": {}, // kept\r\n  },\r\n}\r\n',
  '{"mcpServers":{"x":{"command":"a"}},"b":[1,2]}',
  '{"b":[1,   2]}\n',
  '{"mcpServers": {"x": 1 /* c */}}\n',
];

for (const text of WRITTEN) {
  Deno.test(`D5 what init adds to JSON, uninstall takes away to the byte: ${JSON.stringify(text).slice(0, 50)}`, async () => {
    const entry = entryIn(PLACES["json"] ?? assert.fail());
    const added = await withEntry(text, entry, VALUE);
    const lines = text.split(/\r?\n/).map((line) => line.replaceAll(",", "").trimEnd());
    const now = added.split(/\r?\n/).map((line) => line.replaceAll(",", "").trimEnd());
    if (lines.length > 2) assert.deepStrictEqual(lines.filter((line) => !now.includes(line)), [], added);
    assert.strictEqual(await withoutEntry(added, entry), text);
  });
}

const BEFORE = {
  json:
    '{\n  // mine\n  "theme": "dark", /* yes */\n  "mcpServers": {\n    "other": {\n      "command": "x" // kept\n    },\n  },\n}\n',
  toml: '# mine\ntheme = "dark"\n\n[mcp_servers.other]\ncommand = "x" # kept\n\n# last\n[last]\na = 1\n',
  yaml: "# mine\ntheme: dark\nmcp:\n  servers:\n    # kept\n    other:\n      command: x\n# last\nlast: 1\n",
} as const;

for (const kind of ["json", "toml", "yaml"] as const) {
  Deno.test(`D5 comments of a ${kind} file stay in their places, and uninstall gives back what was there`, async () => {
    const entry = entryIn(PLACES[kind] ?? assert.fail());
    const added = await withEntry(BEFORE[kind], entry, VALUE);
    for (const comment of BEFORE[kind].match(/(?:\/\/|\/\*|#).*/g) ?? []) assert.ok(added.includes(comment), added);
    assert.deepStrictEqual(await withoutEntry(added, entry), BEFORE[kind]);
    assert.deepStrictEqual(await withoutEntry(BEFORE[kind], entry), BEFORE[kind]);
  });
}

Deno.test("D5 a file that holds nothing but the entry goes with it, and one with a comment stays", async () => {
  for (const place of Object.values(PLACES)) {
    const fresh = await withEntry(undefined, entryIn(place), VALUE);
    assert.deepStrictEqual(await withoutEntry(fresh, entryIn(place)), undefined, fresh);
    assert.deepStrictEqual(await withEntry(" \n", entryIn(place), VALUE), fresh);
    if (place.format === "json") continue;
    assert.match(await withoutEntry(`# mine\n\n${fresh}`, entryIn(place)) ?? "", /^# mine$/m);
  }
});

Deno.test("D5 what cannot be changed safely is refused with the reason", async () => {
  const refused = async (kind: string, text: string) => {
    try {
      return await withEntry(text, entryIn(PLACES[kind] ?? assert.fail()), VALUE);
    } catch (thrown) {
      assert.ok(thrown instanceof Error);
      return thrown.message.split("\n")[0];
    }
  };
  assert.deepStrictEqual(
    [
      await refused("json", '{\n  "a": \n}'),
      await refused("json", "[]"),
      await refused("json", '{"mcpServers": []}'),
      await refused("toml", "mcp_servers = 1\n"),
      await refused("toml", "mcp_servers = {}\n"),
      await refused("toml", "mcp_servers.Ahma.command = 'x'\n"),
      await refused("yaml", "a: [\n"),
      await refused("yaml", "mcp: 1\n"),
      await refused("yaml", "a: &b {}\nmcp:\n  servers: *b\n"),
      await refused("yaml", "mcp: {servers: {other: {}}}\n"),
      await refused("yaml", "a: 1\n---\nb: 2\n"),
      await refused("json", "null"),
      await refused("json", '{"mcpServers": null}'),
    ],
    [
      'Cannot read "settings" as JSON: Value expected in line 3. Correct it first',
      'Cannot read "settings": it holds no table of settings',
      'Cannot add the entry to "settings": "mcpServers" there holds something else',
      'Cannot add the entry to "settings": "mcp_servers" there holds something else',
      'Cannot change "settings" without changing more than the entry "Ahma" in it: change it by hand',
      'Cannot change "settings" without changing more than the entry "Ahma" in it: change it by hand',
      'Cannot read "settings" as YAML: Flow sequence in block collection must be sufficiently indented and end with a ] at line 2, column 1. Correct it first',
      'Cannot add the entry to "settings": "mcp.servers" there holds something else',
      'Cannot change "settings" without changing more than the entry "Ahma" in it: change it by hand',
      'Cannot change "settings" without changing more than the entry "Ahma" in it: change it by hand',
      'Cannot read "settings" as YAML: Several documents in one file. Correct it first',
      'Cannot change "settings" without changing more than the entry "Ahma" in it: change it by hand',
      'Cannot change "settings" without changing more than the entry "Ahma" in it: change it by hand',
    ],
  );
});

/** What a person wrote around the entry, which both commands leave as it is. */
const KEPT: readonly (readonly [kind: string, text: string])[] = [
  [
    "json",
    '{\n  // top\n  "mcpServers": {\n    // "precious": {"command":"x"},\n    "Ahma": {"command":"old"}\n  }\n}\n',
  ],
  ["json", '{"mcpServers": {"a": {}, // "precious": 1\n    "Ahma": {"x":1}}}\n'],
  ["json", '\uFEFF{\r\n\t"a": [1,   2],\r\n\t"mcpServers": {\r\n\t\t"b": {},\r\n\t\t"Ahma": {},\r\n\t},\r\n}\r\n'],
  ["json", '{"mcpServers":{"Ahma":{"x":1},"id":12345678901234567890}}'],
  ["toml", 'a = 1\n\n[mcp_servers.Ahma]\ncommand = "x"\n\n# [mcp_servers.precious]\n# command = "p"\n'],
  ["toml", "big = 9223372036854775807\r\nhex = 0x1F # kept\r\n\r\n[mcp_servers.Ahma]\r\ncommand = 'x'\r\n"],
  [
    "yaml",
    "channel: 123456789012345678\nfl: 0.1234567890123456789\nhex: 0x1F\nflow: {a: b}\nmcp:\n  servers:\n" +
    "    # precious:\n    Ahma:\n      command: x\n\n# end\n",
  ],
  [
    "yaml",
    "# top\r\nmcp:\r\n    servers:\r\n        other: {a: b} # kept\r\n        Ahma: {}\r\nlast: >\r\n  a\r\n  b\r\n",
  ],
  ["yaml list", "mcpServers:\n- name: other # kept\n- name: Ahma\n  command: x\n# end\n"],
];

for (const [kind, text] of KEPT) {
  Deno.test(`D5 what stands around the entry stays as it is: ${kind} ${JSON.stringify(text).slice(0, 60)}`, async () => {
    const entry = entryIn(PLACES[kind] ?? assert.fail());
    const changed = await withEntry(text, entry, VALUE);
    const gone = await withoutEntry(changed, entry);
    assert.strictEqual(gone, await withoutEntry(text, entry));
    const lines = (of: string) =>
      of.split(/\r?\n/).map((line) => line.replaceAll(",", "").trim()).filter((line) => line !== "");
    const own = /Ahma|command: x|command = ['"]x['"]|^\},?$/;
    const kept = lines(text).filter((line) => !own.test(line));
    assert.deepStrictEqual(kept.filter((line) => !lines(changed).includes(line)), [], changed);
    assert.deepStrictEqual(kept.filter((line) => !lines(gone ?? "").includes(line)), [], gone);
    if (text.includes("\r\n")) assert.doesNotMatch(changed + gone, /[^\r]\n/);
  });
}

Deno.test("D5 lines of a text that look like a block are none", async () => {
  const text = 'note = """\n[mcp_servers.Ahma]\ncommand = 1\n"""\n';
  const added = await withEntry(text, entryIn(PLACES["toml"] ?? assert.fail()), VALUE).catch((thrown) =>
    String(thrown)
  );
  assert.ok(isTable(FORMATS.toml.parse(text)));
  assert.match(added, /change it by hand|\[mcp_servers\.Ahma\]/);
  if (!added.includes("by hand")) assert.ok(added.startsWith(text), added);
});
