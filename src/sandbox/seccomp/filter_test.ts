import assert from "node:assert/strict";
import fc from "fast-check";
import { NETWORKS, UNIX_SOCKETS } from "../policy/confinement.ts";
import { NO_CALL, type Processor, SYSTEM_CALLS, type SystemCall } from "../../system/syscalls.ts";
import { run } from "./_support/machine.ts";
import { type Instruction, SECCOMP_DATA, VERDICT } from "./bpf.ts";
import { ARCHITECTURE, seccompFilter, X32_NUMBERS } from "./filter.ts";
import { type Demand, type FilterProfile, filterRules } from "./rules.ts";

const PROCESSORS: readonly Processor[] = ["x86_64", "aarch64"];
const PROFILES: readonly FilterProfile[] = NETWORKS.flatMap((network) =>
  UNIX_SOCKETS.flatMap((unixSockets) =>
    [true, false].flatMap((namespaces) =>
      [true, false].map((boundsMemory) => ({ network, unixSockets, namespaces, boundsMemory }))
    )
  )
);
const DEFAULT: FilterProfile = { network: "full", unixSockets: "deny", namespaces: true, boundsMemory: false };

const CALLS = Object.keys(SYSTEM_CALLS.x86_64) as readonly SystemCall[]; // the keys of a constant object
const ALLOWED = "allowed";
const EPERM = "errno 1";
const ENOMEM = "errno 12";
const EACCES = "errno 13";
const ENOSYS = "errno 38";

function spoken(verdict: number): string {
  if (verdict === VERDICT.allow) return ALLOWED;
  return verdict === VERDICT.killProcess ? "killed" : `errno ${verdict & 0xffff}`;
}

/** The verdict in words; calls this processor never had are left out by the caller. */
function verdictOn(
  call: SystemCall,
  args: readonly (number | bigint)[],
  { processor = "x86_64", profile = {} }: { processor?: Processor; profile?: Partial<FilterProfile> } = {},
): string {
  const program = seccompFilter({ ...DEFAULT, ...profile }, processor);
  const number = SYSTEM_CALLS[processor][call];
  assert.notEqual(number, NO_CALL, call);
  return spoken(run(program, { architecture: ARCHITECTURE[processor], number, args }));
}

/** What each call gets, by what it asks for: written by hand from the kernel's headers, not from the rules. */
const EXPECTED: readonly [SystemCall, readonly (number | bigint)[], string, Partial<FilterProfile>?][] = [
  // Threads, fork, vfork, posix_spawn; then each namespace.
  ["clone", [0x3d0f00], ALLOWED],
  ["clone", [17], ALLOWED],
  ["clone", [0x4111], ALLOWED],
  ["clone", [0x1200011], ALLOWED],
  ...[0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000].flatMap((flag) =>
    [
      ["clone", [flag | 17], EPERM] as const,
      ["clone", [0xffff_ffff_0000_0000n | BigInt(flag)], EPERM] as const,
      ["unshare", [flag], EPERM] as const,
    ] as [SystemCall, (number | bigint)[], string][]
  ),
  ["unshare", [0x80], EPERM],
  ["unshare", [0x600], ALLOWED],
  ["clone3", [0x1000, 88], ENOSYS],
  // Limits: one's own, reading those of others, changing those of others.
  ["prlimit64", [0, 7, 0x1000, 0], ALLOWED],
  ["prlimit64", [4711, 7, 0, 0x1000], ALLOWED],
  ["prlimit64", [4711, 0, 0x1000, 0], EPERM],
  ["prlimit64", [4711, 0, 0x7fff_0000_0000n, 0], EPERM],
  ["setpriority", [0, 0, 5], ALLOWED],
  ["setpriority", [0, 4711, 19], EPERM],
  ["setpriority", [2, 0, 19], EPERM],
  ["setpriority", [1, 0, 19], EPERM],
  ["setpriority", [1, 0, 19], ALLOWED, { namespaces: false }],
  ["ioprio_set", [1, 0, 0], ALLOWED],
  ["ioprio_set", [1, 4711, 0], EPERM],
  ["ioprio_set", [3, 0, 0], EPERM],
  ["ioprio_set", [2, 0, 0], EPERM],
  ["ioprio_set", [2, 0, 0], ALLOWED, { namespaces: false }],
  ["sched_setscheduler", [4711, 5], ALLOWED],
  ...(["sched_setscheduler", "sched_setattr", "sched_setparam", "sched_setaffinity"] as const).map((call) =>
    [call, [0x7777_0000_0001n, 5], EPERM] as [SystemCall, bigint[], string]
  ),
  ["sched_setaffinity", [1, 8, 0x1000], ALLOWED, { namespaces: false }],
  ["sched_setscheduler", [4711, 5], EPERM, { namespaces: false }],
  ["sched_setscheduler", [0, 5], ALLOWED, { namespaces: false }],
  // Terminals: what types for the user; sizes and modes stay.
  ["ioctl", [0, 0x5412], EPERM],
  ["ioctl", [0, 0xdead_0000_5412n], EPERM],
  ["ioctl", [0, 0x541c], EPERM],
  ["ioctl", [0, 0x5413], ALLOWED],
  ["ioctl", [0, 0x5401], ALLOWED],
  ["fcntl", [3, 1024, 1], EPERM],
  ["fcntl", [3, 1040, 1], EPERM],
  ["fcntl", [3, 0, 0], ALLOWED],
  ["fcntl", [3, 1030, 0], ALLOWED],
  // TCP, UDP and ping in both families, flags in the type; raw, and every other family.
  ...[2, 10].flatMap((family) =>
    [
      ["socket", [family, 1, 6], ALLOWED] as const,
      ["socket", [family, 0x80801, 0], ALLOWED] as const,
      ["socket", [family, 2, 17], ALLOWED] as const,
      ["socket", [family, 1, 262], ALLOWED] as const,
      ["socket", [family, 2, 1], ALLOWED] as const,
      ...[33, 115, 132, 136, 256].flatMap((protocol) => [
        ["socket", [family, 1, protocol], EACCES] as const,
        ["socket", [family, 2, protocol], EACCES] as const,
      ]),
      ["socket", [family, 3, 1], EACCES] as const,
      ["socket", [family, 0x80003, 255], EACCES] as const,
      ["socket", [family, 10, 0], EACCES] as const,
      ["socket", [family, 1, 262], EACCES, { network: "none" }] as const,
      ["socket", [family, 2, 0], EACCES, { network: "none" }] as const,
      ["socket", [family, 2, 0], ALLOWED, { network: "localhost" }] as const,
    ] as [SystemCall, (number | bigint)[], string, Partial<FilterProfile>?][]
  ),
  ["socket", [16, 3, 0], ALLOWED],
  ["socket", [16, 3, 0], EACCES, { network: "none" }],
  ...[4, 9, 15].map((protocol) => ["socket", [16, 3, protocol], EACCES] as [SystemCall, number[], string]),
  ...[0, 3, 17, 31, 38, 40, 44].map((family) => ["socket", [family, 1, 0], EACCES] as [SystemCall, number[], string]),
  // Unix sockets: none but pairs that stay together.
  ["socket", [1, 1, 0], EACCES],
  ["socket", [1, 2, 0], EACCES],
  ["socket", [0xffff_ffff_0000_0001n, 1, 0], EACCES],
  ["socket", [1, 1, 0], ALLOWED, { unixSockets: "allow" }],
  ["socket", [1, 1, 0], ALLOWED, { unixSockets: "allow", network: "none" }],
  ["socket", [1, 0x80801, 0], ALLOWED, { unixSockets: "private" }],
  ["socket", [1, 5, 0], ALLOWED, { unixSockets: "private", network: "none" }],
  ["socket", [1, 2, 0], EACCES, { unixSockets: "private" }],
  ["socketpair", [1, 2, 0], EACCES, { unixSockets: "private" }],
  ["socketpair", [1, 0x80001, 0], ALLOWED],
  ["socketpair", [1, 5, 0], ALLOWED],
  ["socketpair", [1, 2, 0], EACCES],
  ["socketpair", [1, 0x80802, 0], EACCES],
  ["socketpair", [1, 2, 0], ALLOWED, { unixSockets: "allow" }],
  ["socketpair", [30, 1, 0], EACCES],
  ["socketpair", [30, 5, 0], EACCES],
  ["socketpair", [30, 5, 0], EACCES, { unixSockets: "allow" }],
  // TCP Fast Open connects without connect().
  ["sendto", [3, 0, 0, 0x20000000], ALLOWED],
  ["sendto", [3, 0, 0, 0x20000000], EPERM, { network: "none" }],
  ["sendto", [3, 0, 0, 0x4000], ALLOWED, { network: "none" }],
  ["sendmsg", [3, 0, 0x20004000], EPERM, { network: "none" }],
  ["sendmmsg", [3, 0, 1, 0x20000000], EPERM, { network: "none" }],
  // Under a limit of memory: what RLIMIT_DATA does not count, and each kind of mapping that programs make.
  ...[[0x21, ENOMEM], [0x23, ENOMEM], [0x122, ENOMEM], [0x101, ENOMEM], [0x4021, ENOMEM], [0x1_0000_0021, ENOMEM]]
    .flatMap(([flags, expected]) =>
      [
        ["mmap", [0, 4096, 3, flags, -1, 0], expected, { boundsMemory: true }],
        ["mmap", [0, 4096, 3, flags, -1, 0], ALLOWED],
      ] as [SystemCall, number[], string, Partial<FilterProfile>?][]
    ),
  ...[0x22, 0x28, 0x20022, 0x4022, 0x32, 0x100022, 1, 2, 3, 0x812].map((flags) =>
    ["mmap", [0, 4096, 3, flags, 5, 0], ALLOWED, { boundsMemory: true }] as [
      SystemCall,
      number[],
      string,
      Partial<FilterProfile>,
    ]
  ),
  ["memfd_create", [0x1000, 0], ENOSYS, { boundsMemory: true }],
  ["memfd_secret", [0], ENOSYS, { boundsMemory: true }],
  ["shmget", [0, 4096, 0o1600], ENOMEM, { boundsMemory: true }],
  ["memfd_create", [0x1000, 0], ALLOWED],
  ["shmget", [0, 4096, 0o1600], ALLOWED],
  ["io_uring_setup", [8, 0], ENOSYS],
  ["io_uring_enter", [8, 0], ENOSYS],
  ["io_uring_register", [8, 0], ENOSYS],
];

for (const processor of PROCESSORS) {
  Deno.test(`S6 S8 seccompFilter() answers each kind of call as intended, on ${processor}`, () => {
    const seen = EXPECTED.map(([call, args, , profile = {}]) => [
      call,
      args,
      verdictOn(call, args, { processor, profile }),
      profile,
    ]);
    assert.deepStrictEqual(
      seen,
      EXPECTED.map(([call, args, expected, profile = {}]) => [call, args, expected, profile]),
    );
  });

  Deno.test(`S8 seccompFilter() denies every call that nothing needs, whatever its arguments, on ${processor}`, () => {
    const never = "acct add_key adjtimex bpf chroot clock_adjtime clock_settime delete_module finit_module fsconfig " +
      "fsmount fsopen fspick init_module kcmp kexec_file_load kexec_load keyctl mount mount_setattr move_mount " +
      "open_by_handle_at open_tree open_tree_attr perf_event_open pidfd_getfd pivot_root process_vm_readv " +
      "process_vm_writev ptrace quotactl quotactl_fd reboot request_key setdomainname sethostname setns settimeofday " +
      "swapoff swapon syslog umount2 userfaultfd vhangup";
    for (const word of never.split(" ")) {
      const call = CALLS.find((one) => one === word);
      assert.ok(call !== undefined, word);
      for (const arg of [0, 1, 0xffff_ffff_ffff_ffffn]) {
        assert.equal(verdictOn(call, [arg, arg, arg, arg, arg, arg], { processor }), EPERM, word);
      }
    }
  });

  Deno.test(`S8 seccompFilter() does as its rules say, for any call with any arguments, on ${processor}`, () => {
    const numbers = Object.values(SYSTEM_CALLS[processor]).filter((number) => number !== NO_CALL);
    const word = fc.oneof(
      fc.nat(20),
      fc.constantFrom(0x5412, 0x541c, 0x20000000, 0x10000000, 0x80),
      fc.nat(0xffffffff),
    );
    const argument = fc.tuple(fc.oneof(fc.constant(0), word), word).map(([high, low]) =>
      BigInt(high) << 32n | BigInt(low)
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...PROFILES),
        fc.oneof(fc.constantFrom(...numbers), fc.nat(500)),
        fc.array(argument, { minLength: 6, maxLength: 6 }),
        (profile, number, args) => {
          const seen = run(seccompFilter(profile, processor), { architecture: ARCHITECTURE[processor], number, args });
          assert.equal(spoken(seen), byTheRules(profile, processor, { number, args }));
        },
      ),
      { numRuns: 2000 },
    );
  });
}

function byTheRules(
  profile: FilterProfile,
  processor: Processor,
  { number, args }: { readonly number: number; readonly args: readonly bigint[] },
): string {
  const [, rule] = [...filterRules(profile)].find(([call]) => SYSTEM_CALLS[processor][call] === number) ?? [];
  if (rule === undefined) return ALLOWED;
  const holds = ({ arg, high, mask, oneOf, noneOf }: Demand): boolean => {
    const whole = args[arg] ?? 0n;
    const half = Number(BigInt.asUintN(32, high === true ? whole >> 32n : whole));
    const value = mask === undefined ? half : (half & mask) >>> 0;
    return (oneOf === undefined || oneOf.includes(value)) && noneOf?.includes(value) !== true;
  };
  return rule.unless?.some((demands) => demands.every(holds)) === true ? ALLOWED : `errno ${rule.errno}`;
}

Deno.test("S8 seccompFilter() ends programs of another architecture, and knows no x32 numbers", () => {
  for (const profile of PROFILES) {
    const x64 = seccompFilter(profile, "x86_64");
    const arm64 = seccompFilter(profile, "aarch64");
    const i386 = 0x40000003;
    for (const number of [0, 1, 20, 39, 102, 359, X32_NUMBERS]) {
      assert.equal(spoken(run(x64, { architecture: i386, number })), "killed");
      assert.equal(spoken(run(x64, { architecture: ARCHITECTURE.aarch64, number })), "killed");
      assert.equal(spoken(run(arm64, { architecture: 0x40000028, number })), "killed");
    }
    for (const number of [X32_NUMBERS, X32_NUMBERS + 59, X32_NUMBERS + 520, 0x7fffffff, 0xffffffff]) {
      assert.equal(spoken(run(x64, { architecture: ARCHITECTURE.x86_64, number })), ENOSYS);
    }
  }
});

Deno.test("S8 seccompFilter() lets calls without a rule through without a look at their arguments, and soon", () => {
  for (const processor of PROCESSORS) {
    for (const profile of PROFILES) {
      const traced = tracer(seccompFilter(profile, processor));
      const ruled = new Set([...filterRules(profile).keys()].map((call) => SYSTEM_CALLS[processor][call]));
      for (let number = 0; number < 480; number++) {
        if (ruled.has(number)) continue;
        const steps = traced({ architecture: ARCHITECTURE[processor], number });
        assert.ok(steps.length <= 13, `call ${number} takes ${steps.length} steps`);
        const loads = steps.filter(({ code }) => code === 0x20).map(({ k }) => k);
        assert.deepStrictEqual(loads, [SECCOMP_DATA.architecture, SECCOMP_DATA.number]);
      }
    }
  }
});

/** Gives the instructions a call meets, the verdict included: a program that is watched keeps each in order. */
function tracer(program: readonly Instruction[]): (call: Parameters<typeof run>[1]) => readonly Instruction[] {
  const met: Instruction[] = [];
  const watched = program.map((instruction) => ({
    ...instruction,
    get code() {
      met.push(instruction);
      return instruction.code;
    },
  }));
  return (call) => {
    met.length = 0;
    run(watched, call);
    return met;
  };
}
