/**
 * Rows whose defence is being built: their tests are ignored with this reason in the name, and `deno task attacks`
 * fails on them. A row leaves the list with the commit that stops it.
 */
export const AWAITED: Readonly<Record<string, string>> = {
  S09: "--limit-processes",
  S10: "--limit-memory",
  C08: "the protected paths",
  C09: "the protected paths",
  C15: "hidden characters in the texts of tool files to be refused",
  K02: "the filter of system calls",
  K03: "the filter of system calls",
  K04: "the filter of system calls",
  K05: "--network",
  K06: "--network",
  K07: "--network",
  K08: "--network",
  K09: "--network",
  K10: "the filter of system calls",
  K11: "the filter of system calls",
  K12: "the filter of system calls",
  K14: "--network",
  K17: "the filter of system calls",
};
