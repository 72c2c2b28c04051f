/** Node.js options can load a module first, so the starter hides them; commands get them with `--env`. */
const NAME = "NODE_OPTIONS";
const HIDDEN = "nODE_OPTIONS";

type Variables = Record<string, string>;

/** Gives hidden options their name, in a record of variables that the runtime does not see. */
export function showNodeOptions(variables: Variables): void {
  rename(variables, HIDDEN, NAME);
}

/** Hides the options, in the variables of a child that is this program. */
export function hideNodeOptions(variables: Variables): void {
  rename(variables, NAME, HIDDEN);
}

function rename(variables: Variables, from: string, to: string): void {
  const { [from]: value } = variables;
  if (value === undefined) return;
  delete variables[from];
  variables[to] = value;
}
