/**
 * The filter of system calls, from inside a command: what it denies, what it leaves, and that the same attempts succeed
 * without the sandbox. The probe aims at a child of its own, which Landlock and namespaces leave to it.
 */
import assert from "node:assert/strict";
import { compile, HAS_COMPILER, NO_COMPILER } from "./_support/kernel/compiled.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { exists, type User, usersAtHand, Workbench } from "./_support/workbench.ts";

const EPERM = "errno 1";
const EACCES = "errno 13";
const ENOSYS = "errno 38";

/** What the probe must meet, by what it tries. */
const DENIED: Readonly<Record<string, string>> = {
  "ptrace": EPERM,
  "process_vm_readv": EPERM,
  "process_vm_writev": EPERM,
  "pidfd_getfd": EPERM,
  "kcmp": EPERM,
  "prlimit of another": EPERM,
  "setpriority of another": EPERM,
  "ioprio_set of another": EPERM,
  "unshare user": EPERM,
  "unshare network": EPERM,
  "clone user": EPERM,
  "clone3": ENOSYS,
  "setns": EPERM,
  "mount": EPERM,
  "chroot": EPERM,
  "fsopen": EPERM,
  "open_tree clone": EPERM,
  "bpf": EPERM,
  "perf_event_open": EPERM,
  "userfaultfd": EPERM,
  "keyctl": EPERM,
  "add_key": EPERM,
  "io_uring_setup": ENOSYS,
  "sethostname": EPERM,
  "syslog": EPERM,
  "quotactl": EPERM,
  "socketpair dgram": EACCES,
  "TIOCSTI": EPERM,
  "a lease": EPERM,
  "i386 call": "signal 31",
};

/** Root alone may do these anyway. */
const PRIVILEGED = ["setns", "mount", "chroot", "fsopen", "open_tree clone", "bpf", "sethostname", "syslog"];

/** A system may keep these from everyone (kernel.perf_event_paranoid and the like), so the control proves nothing there. */
const SWITCHABLE = ["perf_event_open", "userfaultfd", "keyctl", "add_key", "io_uring_setup", "i386 call", "bpf"];

const ALLOWED = [
  "threads",
  "vfork",
  "setpriority of oneself",
  "prlimit of oneself",
  "reading a limit of another",
  "unshare files",
  "socketpair stream",
  "memfd_create",
  "executable memory",
  "sched_setaffinity",
];

/** Each line of the probe: what it tried, and what came of it. */
function outcomes(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/^(.+?) (ok|errno \d+|signal \d+)$/gm)].map(([, name = "", outcome = ""]) => [name, outcome]),
  );
}

function controlled(user: User, name: string): boolean {
  return !SWITCHABLE.includes(name) && !(user === "ordinary" && PRIVILEGED.includes(name));
}

for (const user of usersAtHand()) {
  /** With the filter at hand it starts: the control of the refusal below. */
  const testSandboxed = sharing(
    (bench) => ServerProcess.start(bench, { flags: ["--require-layer", "seccomp"] }),
    user,
  );

  testSandboxed(
    `S8 the filter denies what reaches others or the kernel, and leaves what programs need, as ${user}${NO_COMPILER}`,
    async ({ bench, server: sandboxed }) => {
      const probe = await compile("kernel_probe.c", `${bench.scope}/probe`);
      assert.deepStrictEqual(outcomes((await sandboxed.shell(probe)).text), DENIED);
      assert.deepStrictEqual(
        outcomes((await sandboxed.shell(`${probe} allowed`)).text),
        Object.fromEntries(ALLOWED.map((name) => [name, "ok"])),
      );
      // The control as the user who may most: the answers above are the same for each.
      if (user !== usersAtHand()[0]) return;
      const { stdout } = await new Deno.Command(probe, { cwd: bench.scope, stdin: "null", stderr: "null" }).output();
      const free = outcomes(new TextDecoder().decode(stdout));
      for (const name of Object.keys(DENIED).filter((one) => controlled(user, one))) {
        // Without a terminal there is nothing to type into: ENOTTY, where the filter says EPERM.
        assert.equal(free[name], name === "TIOCSTI" ? "errno 25" : "ok", `the control: ${name}`);
      }
    },
    { ignore: !HAS_COMPILER },
  );

  testSandboxed(`S8 S10 a command cannot change limits or priority of the server, as ${user}`, async ({ server }) => {
    const look = async () => {
      const { stdout } = await new Deno.Command("sh", {
        args: ["-c", `cat /proc/${server.pid}/limits; ps -o ni= -p ${server.pid}`],
      }).output();
      return new TextDecoder().decode(stdout);
    };
    const before = await look();
    await server.shell(`prlimit --pid ${server.pid} --cpu=0 --nofile=3:3; renice 19 -p ${server.pid}; true`);
    assert.equal(await look(), before);
  });

  // The filter is the same for each user.
  if (user !== "ordinary") continue;
  testSandboxed(
    `S8 programs of many processes and threads work under the filter, as ${user}`,
    async ({ bench, server }) => {
      bench.write(
        "many.py",
        `import asyncio, multiprocessing, os, resource, socket, subprocess, sys, threading
def work(pipe): pipe.send(os.getpid() > 0)
if __name__ == "__main__":
  for method in ["fork", "spawn", "forkserver"]:
    if method == "forkserver": continue  # talks over a Unix socket
    mine, theirs = multiprocessing.get_context(method).Pipe()
    child = multiprocessing.get_context(method).Process(target=work, args=(theirs,))
    child.start(); print(method, mine.recv()); child.join()
  threads = [threading.Thread(target=sum, args=([1, 2],)) for _ in range(20)]
  [t.start() for t in threads]; [t.join() for t in threads]
  resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))
  os.nice(1)
  print("asyncio", asyncio.run(asyncio.create_subprocess_exec("true")) is not None)
  print("interfaces", len(socket.if_nameindex()) > 0, socket.getaddrinfo("localhost", 80)[0][1] > 0)
`,
      );
      bench.write(
        "many.cjs",
        `const { fork } = require("child_process"), { Worker } = require("worker_threads"), os = require("os");
if (process.argv[2] === "child") process.on("message", (m) => { process.send(m + 1); process.disconnect(); });
else {
  const child = fork(__filename, ["child"]);
  child.on("message", (m) => console.log("ipc", m));
  child.send(41);
  new Worker("require('worker_threads').parentPort.postMessage(42)", { eval: true })
    .on("message", (m) => console.log("worker", m));
  console.log("interfaces", Object.keys(os.networkInterfaces()).length > 0);
  require("fs").promises.readFile(__filename).then((text) => console.log("read", text.length > 0));
}
`,
      );
      const python = await server.shell("/usr/bin/python3 many.py");
      assert.deepStrictEqual(python.text.match(/^\w+( True)+$/gm), [
        "fork True",
        "spawn True",
        "asyncio True",
        "interfaces True True",
      ], python.text);
      const node = await server.shell("node many.cjs");
      assert.deepStrictEqual(
        (node.text.match(/^\w+ (42|true)$/gm) ?? []).toSorted(),
        ["interfaces true", "ipc 42", "read true", "worker 42"],
        node.text,
      );
    },
  );
}

/** What a kernel must lack for the filter to be refused, and for namespaces, by number (x86_64, aarch64). */
const NUMBERS = Deno.build.arch === "aarch64" ? { seccomp: 277, unshare: 97 } : { seccomp: 317, unshare: 272 };

Deno.test({
  name: `S8 where the kernel has no filter the other layers stay, and status says what is missing${NO_COMPILER}`,
  ignore: !HAS_COMPILER,
  fn: async () => {
    using bench = new Workbench();
    const wrapper = await compile("without_calls.c", `${bench.elsewhere}/without_calls`);
    await using server = await ServerProcess.start(bench, { prefix: [wrapper, "38", String(NUMBERS.seccomp)] });
    assert.match((await server.call("status")).text, /NOT HELD: system calls are not filtered/);
    const { text } = await server.shell(`echo x > ${bench.elsewhere}/planted; echo written > inside; cat inside`);
    assert.match(text, /^written$/m);
    assert.ok(!exists(`${bench.elsewhere}/planted`));
    using other = new Workbench();
    const strict = { prefix: [wrapper, "38", String(NUMBERS.seccomp)], flags: ["--require-layer", "seccomp"] };
    await assert.rejects(ServerProcess.start(other, strict), /Cannot start with --require-layer seccomp/);
  },
});

Deno.test({
  name: `S8 a filter that an outer sandbox refuses is reported too, and namespaces stay${NO_COMPILER}`,
  ignore: !HAS_COMPILER,
  fn: async () => {
    using bench = new Workbench();
    const wrapper = await compile("without_calls.c", `${bench.elsewhere}/without_calls`);
    // Another errno than that of a kernel without it.
    await using server = await ServerProcess.start(bench, { prefix: [wrapper, "1", String(NUMBERS.seccomp)] });
    const { text } = await server.call("status");
    assert.match(text, /mount and PID namespaces/);
    assert.match(text, /NOT HELD: system calls are not filtered/);
    assert.match((await server.shell("echo it runs")).text, /^it runs$/m);
  },
});

Deno.test({
  name: `S6 S8 nothing runs where nothing can hold the network that was chosen${NO_COMPILER}`,
  ignore: !HAS_COMPILER,
  fn: async () => {
    using bench = new Workbench();
    const wrapper = await compile("without_calls.c", `${bench.elsewhere}/without_calls`);
    const lacking = `${NUMBERS.seccomp},${NUMBERS.unshare}`;
    await using server = await ServerProcess.start(bench, {
      prefix: [wrapper, "1", lacking],
      flags: ["--network", "none"],
    });
    const answer = await server.shell("touch it-ran");
    assert.ok(answer.isError);
    assert.match(answer.text, /Cannot run commands with --network none/);
    assert.ok(!exists(`${bench.scope}/it-ran`));
    using other = new Workbench();
    await using narrower = await ServerProcess.start(other, { prefix: [wrapper, "1", lacking] });
    const { text } = await narrower.shell("echo it runs");
    assert.match(text, /^it runs$/m, `the control: with the network open it may, but: ${text}`);
  },
});
