import assert from "node:assert/strict";
import { machineConfiguration, USER_CONFIGURATIONS } from "./user_configuration.ts";

function cleaned(name: string, text: string): string | undefined {
  return USER_CONFIGURATIONS.find((one) => one.name === name)?.clean(text);
}

Deno.test("S25 copies of the user's configuration keep registries and mirrors, and no secret", () => {
  const npm = [
    "registry=https://mirror.invalid/",
    "@corp:registry = https://corp.invalid/",
    "//corp.invalid/:_authToken=s3cret",
    "_auth=s3cret",
    "proxy=http://user:s3cret@proxy.invalid",
    "https-proxy=http://proxy.invalid:3128",
    "cafile=${HOME}/s3cret.pem",
    "nodedir=/usr",
    "script-shell=/bin/evil",
    "; a comment",
  ];
  assert.deepStrictEqual(cleaned("npmrc", npm.join("\r\n"))?.split("\n"), [npm[0], npm[1], npm[5], npm[7], ""]);
  const pip =
    "[global]\nindex-url = https://m.invalid/simple\nextra-index-url = https://u:s3cret@m.invalid\npassword = s3cret\n";
  assert.deepStrictEqual(cleaned("pip.conf", pip), "[global]\nindex-url = https://m.invalid/simple\n");
  assert.deepStrictEqual(cleaned("goenv", "GOPROXY=https://m.invalid\nGOAUTH=s3cret\n"), "GOPROXY=https://m.invalid\n");
  const maven = "<settings><servers><server><password>s3cret</password></server></servers><mirrors><mirror><id>m</id>" +
    "<url>https://m.invalid</url></mirror></mirrors><proxies><proxy><host>p</host><username>u</username>" +
    "<password>s3cret</password></proxy></proxies></settings>";
  const copy = cleaned("maven-settings.xml", maven) ?? "";
  assert.match(copy, /<mirror><url>https:\/\/m\.invalid<\/url><id>m<\/id><\/mirror>/);
  assert.match(copy, /<proxy><host>p<\/host><\/proxy>/);
  assert.doesNotMatch(copy, /s3cret|server|username/);
});

Deno.test("S25 copies hold no secret, however it is spelled", () => {
  const values = [
    "user:s3cret@proxy.invalid:8080",
    "https://user:s3/cret@m.invalid/",
    "//user:s3cret@m.invalid/",
    "https://m.invalid/simple?key=s3cret",
    "https://m.invalid/token/s3cret/simple",
    "https://m.invalid/s3cret0123456789abcdef/simple",
    "-DAPI_KEY=s3cret",
    "https://m.invalid/ https://u:s3cret@m.invalid/",
  ];
  for (const [name, key] of [["npmrc", "proxy"], ["pip.conf", "proxy"], ["goenv", "CGO_CFLAGS"]] as const) {
    for (const value of values) assert.deepStrictEqual([value, cleaned(name, `${key} = ${value}\n`)], [value, ""]);
  }
  assert.deepStrictEqual(cleaned("pip.conf", "timeout = 1\rpassword = s3cret\r"), "timeout = 1\n");
  const elements = [
    "<password ><![CDATA[s3cret]]></password >",
    "<password><![CDATA[s3cret]]></password>",
    '<password a="b">s3cret</password>',
    "<!-- <id>s3cret</id> -->",
    "<url>https://u:s3cret@m.invalid</url>",
    "<id>${s3cret}</id>",
    "<id><b>s3cret</b></id>",
  ];
  for (const element of elements) {
    const text = `<mirrors><mirror><url>https://m.invalid</url>${element}</mirror></mirrors>` +
      `<proxies><proxy>${element}<host>p</host></proxy></proxies>`;
    assert.deepStrictEqual(
      [element, cleaned("maven-settings.xml", text)?.replaceAll("\n", "")],
      [
        element,
        "<settings><mirrors><mirror><url>https://m.invalid</url></mirror></mirrors>" +
        "<proxies><proxy><host>p</host></proxy></proxies></settings>",
      ],
    );
  }
});

Deno.test("S25 copies are empty where the user has no configuration", () => {
  const empty = USER_CONFIGURATIONS.map(({ name, clean }) => [name, clean("").replace(/\s/g, "")]);
  assert.deepStrictEqual(empty, [["npmrc", ""], ["pip.conf", ""], ["goenv", ""], [
    "maven-settings.xml",
    "<settings></settings>",
  ]]);
});

Deno.test("S25 machineConfiguration() names the npmrc of the machine, which npm finds no more below another prefix", () => {
  const links: Readonly<Record<string, string>> = {
    "/usr/bin/node": "/opt/node/bin/node",
    "/opt/node/etc/npmrc": "/opt/node/etc/npmrc",
    "/odd/node": "/odd/node",
  };
  const seen = ["/bin:/usr/bin:/odd", "/odd:/usr/bin", "/bin", undefined].map((path) =>
    machineConfiguration(path, (one) => links[one])
  );
  assert.deepStrictEqual(seen, [
    { npm_config_globalconfig: "/opt/node/etc/npmrc" },
    {},
    {},
    { npm_config_globalconfig: "/opt/node/etc/npmrc" },
  ]);
});
