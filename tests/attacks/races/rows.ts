/** F01 to F03, D11 and X20 on: whatever names a path twice while commands move it. */
import { type Attack, BOTH } from "../frame/attack.ts";
import { noFilter, REFUSING_NAMESPACES } from "../means/unusual_start.ts";
import { type Race, raced } from "./race.ts";
import { type Field, isolatedSessions, oneServer, twoServers } from "./sessions.ts";

/** `x/y` is a true tree, `q/y` a plain decoy, `p/y` leads outside; they take one another's place. */
const THREE_STATES = {
  make: ({ bench, scope, out }: Field) => {
    for (const name of ["x/y/kept", "q/y/kept", "p/kept"]) bench.write(name, "");
    Deno.symlinkSync(`${out}/y`, `${scope}/p/y`);
  },
  moves: "swap x p wait 200 - swap x q wait 200 -",
  places: ["p/y", "q/y", "x/y"],
} satisfies Partial<Race>;

/** `p` leads outside, where a plain `y` is. */
export const TWO_STATES = {
  make: ({ bench, scope, out }: Field) => {
    bench.write("x/y/kept", "");
    Deno.symlinkSync(out, `${scope}/p`);
  },
  moves: "swap x p wait 200 -",
  places: ["p/y", "x/y"],
} satisfies Partial<Race>;

/** And so are `s` and `r`. */
const TWICE_TWO_STATES = {
  make: (field: Field) => {
    TWO_STATES.make(field);
    field.bench.write("r/y/kept", "");
    Deno.symlinkSync(field.out, `${field.scope}/s`);
  },
  moves: `${TWO_STATES.moves} swap r s wait 200 -`,
  places: [...TWO_STATES.places, "s/y", "r/y"],
} satisfies Partial<Race>;

/** As seen from `x/y`: true, outside, a decoy that leads into that very tree, and true again. */
const INTO_THE_TREE_BELOW = {
  make: ({ bench, scope, out }: Field) => {
    for (const name of ["x/y/inner/y/kept", "p/kept"]) bench.write(name, "");
    Deno.symlinkSync(`${out}/y`, `${scope}/p/y`);
    Deno.symlinkSync("p/y/inner", `${scope}/q`);
  },
  moves: "wait 400 - swap x p wait 200 - swap x q wait 200 - swap x p wait 400 - swap p q",
  places: ["inner/y", "."],
  unseen: true,
} satisfies Partial<Race>;

/** Flags that set up trees. */
type Flags = (field: Field) => readonly string[];

const TREES = {
  written: ({ scope }) => ["--sandbox-scope", scope, "--write", `${scope}/x/y`],
  outerFirst: ({ scope }) => ["--sandbox-scope", scope, "--sandbox-scope", `${scope}/x/y`],
  writtenAndRead: ({ scope }) => ["--sandbox-scope", scope, "--write", `${scope}/x/y`, "--read", `${scope}/r/y`],
  innerFirst: ({ scope }) => ["--sandbox-scope", `${scope}/x/y`, "--sandbox-scope", scope],
} satisfies Readonly<Record<string, Flags>>;

function withoutPool(flags: Flags): Flags {
  return (field) => [...flags(field), "--no-pool"];
}

/** The program that names a path twice is led astray by the same moves there. */
const AS_IN_F02 = { noControl: "it would be that of F02" } satisfies Partial<Race>;

/** Launched into the directory that is exchanged. */
const INSIDE = { directory: "x/y", places: [".", "../y"] } satisfies Partial<Race>;

/** Protected names: a directory made and removed, a file that is a second name of another. */
const COME_AND_GO = "make .vscode 755 hard race .mcp.json wait 200 - gone .vscode dir gone .mcp.json file wait 200 -";

/** The session below has the tree that is exchanged as its scope. */
function below({ scope }: Field): readonly string[] {
  return ["--sandbox-scope", `${scope}/x/y`];
}

/** For launches of another session, whose working directory is elsewhere. */
function ofAnother(race: typeof TWO_STATES): Omit<Race, "sessions"> {
  return { ...race, unseen: true, places: ({ scope }) => race.places.map((place) => `${scope}/${place}`) };
}

export const RACES: readonly Attack[] = [
  {
    id: "F01",
    title: "a tree within a tree, exchanged for a link to the outside and a decoy",
    users: BOTH,
    aim: "evidence",
    ways: {
      "--write": raced({ ...THREE_STATES, sessions: oneServer(TREES.written) }),
      "two scopes": raced({ ...THREE_STATES, sessions: oneServer(TREES.outerFirst), extended: true }),
      "two scopes, the inner first": raced({ ...THREE_STATES, sessions: oneServer(TREES.innerFirst), extended: true }),
      "Landlock alone": raced({
        ...THREE_STATES,
        sessions: oneServer(TREES.written, REFUSING_NAMESPACES.prefix),
        tries: "rw",
        machine: noFilter,
        extended: true,
      }),
      // Without a pool F02 is tried.
      "--write, --no-pool": raced({ ...THREE_STATES, sessions: oneServer(withoutPool(TREES.written)), extended: true }),
      "two scopes, --no-pool": raced({
        ...THREE_STATES,
        sessions: oneServer(withoutPool(TREES.outerFirst)),
        extended: true,
      }),
    },
  },
  {
    id: "F02",
    title: "the same with a link on the way, to a --read directory too",
    users: BOTH,
    alikeForRoot: "the launcher holds on to the tree as for every user; root tries it in F01",
    aim: "evidence",
    ways: {
      "--write": raced({ ...TWO_STATES, sessions: oneServer(TREES.written), extended: true }),
      "--write, --read, --no-pool": raced({
        ...TWICE_TWO_STATES,
        ...AS_IN_F02,
        sessions: oneServer(withoutPool(TREES.writtenAndRead)),
      }),
      "two scopes": raced({ ...TWO_STATES, sessions: oneServer(TREES.outerFirst), extended: true }),
    },
  },
  {
    id: "F03",
    title: "a session above moves the scope of a session below",
    users: BOTH,
    alikeForRoot: "the launcher holds on to the tree as for every user; root tries it in F01",
    aim: "evidence",
    ways: {
      // Most launches are refused and tried again; a hole that one in twenty finds shows in 95 runs of 100.
      "two servers": raced({ ...INTO_THE_TREE_BELOW, sessions: twoServers(below), fewLaunches: 60 }),
      "two servers, --no-pool": raced({
        ...INTO_THE_TREE_BELOW,
        sessions: twoServers((field) => [...below(field), "--no-pool"]),
        extended: true,
      }),
      "two servers, a link on the way": raced({
        ...TWO_STATES,
        unseen: true,
        sessions: twoServers(below),
        places: [".", "../y"],
        extended: true,
      }),
      "two servers, --write": raced({
        ...ofAnother(TWO_STATES),
        sessions: twoServers(({ scope }) => ["--write", `${scope}/x/y`]),
        extended: true,
      }),
      "--session-isolation": raced({ ...INTO_THE_TREE_BELOW, sessions: isolatedSessions([]), extended: true }),
    },
  },
  {
    id: "D11",
    title: "the way to a --read directory is exchanged",
    users: BOTH,
    alikeForRoot: "the launcher holds on to the tree as for every user; root tries it in F01",
    aim: "evidence",
    ways: {
      "in the scope": raced({
        ...TWO_STATES,
        ...AS_IN_F02,
        sessions: oneServer(({ scope }) => ["--sandbox-scope", scope, "--read", `${scope}/x/y`, "--no-pool"]),
        // In F02 it is tried with a --write directory.
        extended: true,
      }),
      "in the scope of another session": raced({
        ...ofAnother(TWO_STATES),
        sessions: twoServers(({ scope }) => ["--read", `${scope}/x/y`]),
        extended: true,
      }),
      "Landlock alone": raced({
        ...TWO_STATES,
        sessions: oneServer(
          ({ scope }) => ["--sandbox-scope", scope, "--read", `${scope}/x/y`],
          REFUSING_NAMESPACES.prefix,
        ),
        tries: "rw",
        machine: noFilter,
        extended: true,
      }),
    },
  },
  {
    id: "X20",
    title: "the working directory is exchanged",
    users: BOTH,
    alikeForRoot: "the launcher holds on to the tree as for every user; root tries it in F01",
    aim: "evidence",
    ways: {
      "a plain scope": raced({ ...TWO_STATES, ...INSIDE, ...AS_IN_F02, sessions: oneServer(() => []) }),
      "a plain scope, --no-pool": raced({
        ...TWO_STATES,
        ...INSIDE,
        sessions: oneServer(() => ["--no-pool"]),
        extended: true,
      }),
    },
  },
  {
    id: "X21",
    title: "protected paths come, go and are exchanged",
    users: BOTH,
    alikeForRoot: "the launcher holds on to the tree as for every user; root tries it in F01",
    aim: "evidence",
    ways: {
      "a repository on the way": raced({
        ...TWO_STATES,
        make: (field) => {
          TWO_STATES.make(field);
          field.bench.write("x/y/git/config", "[core]\n");
        },
        // The mover is launched before there is a repository, else nothing on the way to it could be moved.
        moves: `move x/y/git x/y/.git ${TWO_STATES.moves}`,
        sessions: oneServer(() => []),
        // Each asks git what it obeys; a hole that one launch in ten finds shows in 98 runs of 100.
        fewLaunches: 40,
      }),
      "directories and second names": raced({
        ...TWO_STATES,
        moves: `${COME_AND_GO} ${TWO_STATES.moves}`,
        sessions: oneServer(() => []),
        extended: true,
      }),
    },
  },
];
