/** A tool file whose program is not there, although its check succeeds. */
export const MISSING_PROGRAM = JSON.stringify({
  name: "none",
  command: "no-such-program",
  description: "None.",
  availability_check: { command: "true" },
});
