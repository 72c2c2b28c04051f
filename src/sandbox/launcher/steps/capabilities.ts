/**
 * Capabilities are taken from commands for good (S8): with root's, a kernel module or a BPF program ends every sandbox.
 * An ordinary user may have been given some too (ambient ones of a service), and has all within an own user namespace.
 */
import type { Draft } from "./identity_steps.ts";

const PR_CAPBSET_DROP = 24;
const PR_SET_SECUREBITS = 28;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_RAISE = 2;
/** NOROOT, NO_SETUID_FIXUP and their locks, KEEP_CAPS_LOCKED (linux/securebits.h). */
const SECURE_BITS = 0x2f;
/** Numbers beyond the kernel's last capability are refused, which does no harm. */
const HIGHEST_CAPABILITY = 63;
/** _LINUX_CAPABILITY_VERSION_3 */
const CAPABILITY_VERSION = 0x20080522;

/**
 * Before the restriction: nothing that is executed later can get more than `kept`. A container may have taken the
 * right to say so already; then no_new_privs holds what `dropCapabilities` leaves.
 */
export function limitCapabilities({ table, sys }: Draft, kept: readonly number[]): void {
  for (let capability = 0; capability <= HIGHEST_CAPABILITY; capability++) {
    if (kept.includes(capability)) continue;
    table.call("limit capabilities", sys.prctl, [PR_CAPBSET_DROP, capability, 0, 0, 0], { mode: "soft" });
  }
  table.call("lock capabilities", sys.prctl, [PR_SET_SECUREBITS, SECURE_BITS, 0, 0, 0], { mode: "soft" });
}

/** After the restriction: only `kept` is left, and survives exec. */
export function dropCapabilities({ table, sys }: Draft, kept: readonly number[]): void {
  const mask = kept.reduce((bits, capability) => bits | (1 << capability), 0) >>> 0;
  const header = table.words(CAPABILITY_VERSION);
  // Two `struct __user_cap_data_struct` of effective, permitted, inheritable; all kept ones are in the first.
  const sets = table.words(mask + mask * 0x1_0000_0000, mask, 0);
  table.call("drop capabilities", sys.capset, [header, sets]);
  for (const capability of kept) {
    table.call("keep a capability", sys.prctl, [PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0], {
      mode: "soft",
    });
  }
}
