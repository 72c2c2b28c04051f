import assert from "node:assert/strict";
import { parseBinding, printUse, type SecretBinding } from "./binding.ts";

function bound(text: string): string {
  const parsed = parseBinding(text);
  return parsed.ok ? shown(parsed.value) : parsed.problem;
}

function shown({ name, hosts, use }: SecretBinding): string {
  return `${name} ${hosts.map((host) => `${host.name}:${host.port}`).join(" ")} ${printUse(use)}`;
}

Deno.test("S33 parseBinding() reads hosts, ports and what requests may carry the secret", () => {
  assert.equal(bound("TOKEN=api.example.org"), "TOKEN api.example.org:443 all requests");
  assert.equal(bound("T=API.example.org.,b.example.org:git"), "T api.example.org:443 b.example.org:443 git");
  assert.equal(bound("T=a.example.org:8443:GET /repos/me/*"), "T a.example.org:8443 GET /repos/me/*");
  assert.equal(
    bound("T=a.example.org:443,8443,b.example.org:* /"),
    "T a.example.org:443 a.example.org:8443 b.example.org:443 * /",
  );
});

Deno.test("S33 parseBinding() refuses what would widen a secret or means nothing, and says what", () => {
  const refused = {
    "T": /is not NAME=HOST/,
    "=a.example.org": /is not NAME=HOST/,
    "1T=a.example.org": /is not NAME=HOST/,
    "T=": /is not NAME=HOST/,
    "PATH=a.example.org": /^"PATH" is a variable that programs need, /,
    "T=*.example.org": /"\*\.example\.org" is not the whole name of a host/,
    "T=192.0.2.1": /"192\.0\.2\.1" is not the whole name/,
    "T=packages": /is not the whole name|preset|packages/,
    "T=a.example.org:443/any": /is not/,
    "T=a.example.org:get /x": /is not NAME=HOST/,
    "T=a.example.org:GET x": /is not NAME=HOST/,
    "T=a.example.org:GET /a//b": /is not a path/,
    "T=a.example.org:GET /a?b": /is not a path/,
    "T=a.example.org:GET /a\u202eb": /is not a path/,
  };
  for (const [text, pattern] of Object.entries(refused)) assert.match(bound(text), pattern, text);
});
