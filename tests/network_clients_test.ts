/** Programs as they are, without any setting for a proxy, behind a list of hosts (S30): they connect, or say at once. */
import assert from "node:assert/strict";
import { namesHere } from "./_support/names_here.ts";
import { missingPrograms } from "./_support/programs_at_hand.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { PackageRegistry } from "./_support/servers/package_registry.ts";
import { machineProblem, startMachine } from "./tools/other_machine.ts";
import { copyProgram, Workbench } from "./_support/workbench.ts";

const HOST = "registry.example.test";
const OTHER = "other.example.test";

/** Where a package is asked for. */
interface Place {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

interface Client {
  readonly programs: readonly string[];
  /** By path in the scope. */
  readonly files?: (url: string) => Readonly<Record<string, string>>;
  readonly command: (place: Place) => string;
  /** What shows that the package or answer has come. */
  readonly shows: RegExp;
  /** It looks names up with the system's library, or by itself: each way is tried with the host that is missing too. */
  readonly own?: true;
}

const CA = "$PWD/authority.pem";

const STATIC_C = `
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <arpa/inet.h>
int main(int argc, char **argv) {
  unsigned char query[512] = {1, 2, 1, 0, 0, 1}, answer[512];
  int used = 12;
  char name[256];
  strcpy(name, argv[1]);
  for (char *label = strtok(name, "."); label; label = strtok(0, ".")) {
    query[used++] = strlen(label);
    memcpy(query + used, label, strlen(label));
    used += strlen(label);
  }
  query[used + 2] = 1, query[used + 4] = 1, used += 5;
  struct sockaddr_in to = {AF_INET, htons(53), {htonl(0x7f000001)}};
  int dns = socket(AF_INET, SOCK_DGRAM, 0), tcp = socket(AF_INET, SOCK_STREAM, 0);
  sendto(dns, query, used, 0, (struct sockaddr *)&to, sizeof to);
  int length = recv(dns, answer, sizeof answer, 0);
  if ((answer[3] & 15) != 0) return puts("there is no such name"), 1;
  memcpy(&to.sin_addr, answer + length - 4, 4);
  to.sin_port = htons(atoi(argv[2]));
  if (connect(tcp, (struct sockaddr *)&to, sizeof to)) return perror("connect"), 1;
  puts("connected from C");
  return 0;
}
`;

const CLIENTS: Readonly<Record<string, Client>> = {
  "curl": {
    programs: ["curl"],
    command: ({ url }) => `curl -sS --cacert ${CA} ${url}/npm/fetched`,
    shows: /"dist-tags"/,
    own: true,
  },
  "node": {
    programs: ["node"],
    command: ({ url }) =>
      `NODE_EXTRA_CA_CERTS=${CA} node -e 'fetch("${url}/npm/fetched").then((r) => r.text()).then(console.log)'`,
    shows: /"dist-tags"/,
  },
  "deno": {
    programs: [],
    command: ({ url }) => `DENO_CERT=${CA} ./deno eval 'console.log(await (await fetch("${url}/npm/fetched")).text())'`,
    shows: /"dist-tags"/,
  },
  "a static program in C": {
    programs: ["gcc"],
    files: () => ({ "c/client.c": STATIC_C }),
    command: ({ host, port }) =>
      `cd c && ([ -x client ] || gcc -static -o client client.c) && ./client ${host} ${port}`,
    shows: /connected from C/,
    own: true,
  },
  "npm": {
    programs: ["npm", "node"],
    files: () => ({ "npm/package.json": "{}" }),
    command: ({ url }) =>
      `cd npm && npm install ` +
      `--cafile ../authority.pem --no-audit --no-fund --registry ${url}/npm/ fetched && node -p 'require("fetched")'`,
    shows: /from npm/,
  },
  "pip": {
    programs: ["/usr/bin/python3"],
    command: ({ url }) =>
      `/usr/bin/python3 -m pip install -q --target t --cert ${CA} --index-url ${url}/pypi/ fetched && ` +
      `PYTHONPATH=t /usr/bin/python3 -c 'import fetched; print(fetched.TEXT)'`,
    shows: /from pip/,
  },
  "cargo": {
    programs: ["/usr/bin/cargo"],
    files: (url) => ({
      "crate/Cargo.toml":
        '[package]\nname = "mine"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nfetched = "1"\n',
      "crate/src/main.rs": 'fn main() { println!("{}", fetched::text()); }\n',
      "crate/.cargo/config.toml":
        `[source.crates-io]\nreplace-with = "here"\n[source.here]\nregistry = "sparse+${url}/cargo/"\n[net]\nretry = 0\n`,
    }),
    command: () => `cd crate && PATH=/usr/bin:/bin CARGO_HTTP_CAINFO=$PWD/../authority.pem cargo run -q`,
    shows: /from cargo/,
  },
  // Its own resolver asks, as in static programs of it.
  "go": {
    programs: ["go"],
    files: () => ({
      "module/go.mod": "module mine\n\ngo 1.18\n\nrequire example.org/fetched v1.0.0\n",
      "module/main.go": 'package main\n\nimport "example.org/fetched"\n\nfunc main() {\n\tprintln(fetched.Text)\n}\n',
    }),
    command: ({ url }) =>
      `cd module && export SSL_CERT_FILE=$PWD/../authority.pem GOPROXY=${url}/go GONOSUMDB=* GONOSUMCHECK=1 GOFLAGS=-mod=mod ` +
      "GODEBUG=netdns=go && go run .",
    shows: /from go$/m,
  },
};

interface Started {
  readonly registry: PackageRegistry;
  readonly bench: Workbench;
  /** Runs a line to its end, however long it takes. */
  run(command: string): Promise<string>;
}

/** A server whose list has one of two hosts; both names lead to this machine. */
async function behind(ports: readonly number[], work: (started: Started) => Promise<void>) {
  using bench = new Workbench("ordinary");
  await using registry = await PackageRegistry.open(bench, HOST);
  await using server = await ServerProcess.start(bench, {
    flags: [
      "--network",
      [registry.port, ...ports].map((port) => `${HOST}:${port}`).join(),
      "--allow-private-hosts",
      HOST,
    ],
    prefix: namesHere(bench, `${HOST} ${OTHER}`),
    permissions: ["--allow-net"],
  });
  await work({
    registry,
    bench,
    run: async (command) => {
      let { text } = await server.call("sandboxed_shell", { command, timeout_seconds: 600 });
      for (;;) {
        const [, id] = /^(op_\w+) .*still runs/.exec(text) ?? [];
        if (id === undefined) return text;
        text = (await server.call("await", { id })).text;
      }
    },
  });
}

const REFUSED =
  /\nSandbox: "other\.example\.test(?::\d+)?" is not on the list of --network\. A person can allow it: start/;

const problem = machineProblem();

// What the relay decides is alike for every user: tests/network_names_test.ts and network_narrowed_test.ts have root.
Deno.test("S30 unchanged programs work with a list of hosts, and are refused with a reason if their host is missing", async (test) => {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(new Workbench("root"));
  const machine = problem === undefined ? stack.use(await startMachine(place.elsewhere)) : undefined;
  await behind(machine === undefined ? [] : [machine.port], async (started) => {
    await provesClients(started, test);
    await test.step({
      name: `git clones and pushes over ssh to a listed host alone${problem ? ` (ignored: ${problem})` : ""}`,
      ignore: machine === undefined,
      fn: () => provesSsh(started, place, machine?.port),
    });
  });
});

async function provesClients({ registry, bench, run }: Started, test: Deno.TestContext): Promise<void> {
  await copyProgram(Deno.execPath(), `${bench.scope}/deno`);
  await Deno.chmod(`${bench.scope}/deno`, 0o755);
  // What was refused has kept nothing that would do the next time.
  for (const host of [OTHER, HOST]) {
    if (host === HOST) assert.deepStrictEqual(registry.heard, []);
    for (const [name, { programs, files, command, shows, own }] of Object.entries(CLIENTS)) {
      if (host === OTHER && own === undefined) continue;
      const step = async () => {
        const place = { host, port: registry.port, url: `https://${host}:${registry.port}` };
        for (const [path, text] of Object.entries(files?.(place.url) ?? {})) bench.write(path, text);
        const text = await run(command(place));
        if (host === HOST) return assert.match(text, shows);
        assert.doesNotMatch(text, shows);
        assert.match(text, REFUSED);
      };
      const missing = missingPrograms(programs, "ordinary");
      const title = missing.length === 0 ? `${name}, ${host}` : `${name} (ignored: no ${missing.join(", ")})`;
      await test.step({ name: title, ignore: missing.length > 0, fn: step });
    }
  }
}

async function provesSsh({ bench, run }: Started, place: Workbench, port: number | undefined): Promise<void> {
  bench.write("key", await Deno.readTextFile(`${place.elsewhere}/user`));
  const options = "-oStrictHostKeyChecking=no -oUserKnownHostsFile=/dev/null -oLogLevel=ERROR -oBatchMode=yes";
  for (const host of [HOST, OTHER]) {
    const repository = `${place.elsewhere}/${host}.git`;
    await new Deno.Command("git", { args: ["init", "-q", "--bare", "--template=", "-b", "main", repository] }).output();
    const text = await run([
      `rm -rf copy; chmod 600 key; export GIT_SSH_COMMAND="ssh -i $PWD/key ${options}"`,
      `git clone -q --template= ssh://root@${host}:${port}${repository} copy && cd copy && git checkout -q -b main`,
      "echo 1 > file && git add file && git -c user.name=a -c user.email=a@b commit -qm first",
      "git push -q origin main && git ls-remote origin",
    ].join("\n"));
    if (host === HOST) assert.match(text, /\trefs\/heads\/main\n/);
    else assert.match(text, REFUSED);
  }
}
