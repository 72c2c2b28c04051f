/**
 * What every command on macOS needs of the system. The names are those of profiles in wide use: an unknown one would
 * make `sandbox-exec` refuse the profile.
 */
import { words } from "../../base/text.ts";

/** Facts about the machine. None of a process: `kern.procargs2` would show the server's variables. */
const SYSCTL_NAMES = words(
  "kern.argmax kern.boottime kern.hostname kern.maxfilesperproc kern.maxproc kern.ngroups kern.osproductversion",
  "kern.osrelease kern.ostype kern.osvariant_status kern.osversion kern.secure_kernel kern.usrstack64 kern.version",
  "security.mac.lockdown_mode_state sysctl.proc_cputype vm.loadavg",
);

const SYSCTL_PREFIXES = ["hw.", "kern.proc.pgrp.", "kern.proc.pid.", "machdep.cpu.", "net.routetable."] as const;

/**
 * Users and groups, time zones, temp directories, the log. Neither LaunchServices nor Apple events nor the keychain:
 * through the first two a program is started outside the sandbox (`open -a Terminal`), the third holds secrets.
 */
const MACH_SERVICES = words(
  "com.apple.bsd.dirhelper com.apple.logd com.apple.PowerManagement.control com.apple.system.logger",
  "com.apple.system.notification_center com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
);

/** Certificates, proxies and name servers; only for those who may use the network. */
const NETWORK_MACH_SERVICES = words(
  "com.apple.SystemConfiguration.DNSConfiguration com.apple.SystemConfiguration.configd com.apple.networkd",
  "com.apple.ocspd com.apple.trustd com.apple.trustd.agent",
);

/** The rules that stand before those of the session, one statement each. */
export const SYSTEM_RULES: readonly string[] = [
  "(allow process-exec)",
  "(allow process-fork)",
  "(allow process-info* (target same-sandbox))",
  "(allow signal (target same-sandbox))",
  "(allow mach-priv-task-port (target same-sandbox))",
  "(allow mach-host*)",
  "(allow user-preference-read)",
  ...SYSCTL_NAMES.map((name) => `(allow sysctl-read (sysctl-name "${name}"))`),
  ...SYSCTL_PREFIXES.map((prefix) => `(allow sysctl-read (sysctl-name-prefix "${prefix}"))`),
  '(allow sysctl-write (sysctl-name "kern.grade_cputype"))', // what Java does to read it
  '(allow iokit-open (iokit-registry-entry-class "RootDomainUserClient"))',
  "(allow iokit-get-properties)",
  "(allow ipc-posix-sem)",
  "(allow ipc-posix-shm)",
  ...MACH_SERVICES.map(machLookup),
];

/** Devices that programs write to, and terminals of their own. They stand after the rules for reading. */
export const DEVICE_RULES: readonly string[] = [
  ...["null", "zero", "tty", "stdin", "stdout", "stderr"].map((name) => {
    return `(allow file-write-data (require-all (literal "/dev/${name}") (vnode-type CHARACTER-DEVICE)))`;
  }),
  '(allow file-write-data (subpath "/dev/fd"))',
  "(allow pseudo-tty)",
  '(allow file-write* (literal "/dev/ptmx"))',
  '(allow file-ioctl (literal "/dev/ptmx"))',
  '(allow file-ioctl (literal "/dev/null"))',
  '(allow file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))',
  '(allow file-ioctl (regex #"^/dev/ttys[0-9]+$"))',
];

/** Where names are looked up; the way out for those who may go anywhere. */
const RESOLVER = '(allow network-outbound (remote unix-socket (path-literal "/private/var/run/mDNSResponder")))';

const INTERNAL_SOCKETS = "(allow system-socket (require-all (socket-domain AF_SYSTEM) (socket-protocol 2)))";

/** Everything over IP. Unix sockets are not IP. */
export const FULL_NETWORK_RULES: readonly string[] = [
  INTERNAL_SOCKETS,
  "(allow network* (local ip) (remote ip))",
  RESOLVER,
  ...NETWORK_MACH_SERVICES.map(machLookup),
];

/** The machine's own addresses. */
export const LOCALHOST_RULES: readonly string[] = [
  INTERNAL_SOCKETS,
  '(allow network-bind (local ip "localhost:*"))',
  '(allow network-inbound (local ip "localhost:*"))',
  '(allow network-outbound (remote ip "localhost:*"))',
];

function machLookup(name: string): string {
  return `(allow mach-lookup (global-name "${name}"))`;
}
