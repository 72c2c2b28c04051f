/**
 * The session's temp directory at /tmp and /var/tmp, and what commands may use below those at its own path (S5,
 * private_temporary.ts). Everything is copied before the places are covered, and mounted from the outside inwards.
 */
import { FS } from "../../policy/landlock.ts";
import type { PathGrant, PinnedDirectory, SandboxPolicy } from "../../policy/policy.ts";
import { copyMounts, MOUNT_ATTR_NODEV, MOUNT_ATTR_RDONLY, mountOn, openPinned } from "./copied_mounts.ts";
import { DescriptorNumbers, HELD_FD } from "../image/descriptor_numbers.ts";
import { comparePlace, type Draft, openPlace, sameDirectoryStep } from "./identity_steps.ts";
import { O_CLOEXEC } from "../../../system/syscalls.ts";

const READ_ONLY = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV;
const MOUNT_ATTR_NOEXEC = 8n;

/** The steps by name, for callers that continue without them. */
export const TEMPORARY_STEP = "show the session's temp directory at /tmp";

/** What decides about mounts. */
export type MountedPolicy = Pick<SandboxPolicy, "writable" | "grants" | "temporary" | "root" | "previewed">;

/** A copy of mounts, and what it is put on. */
export interface CopiedTree {
  readonly path: string;
  readonly at: PinnedDirectory;
  readonly tree: number;
}

export class TemporarySteps {
  readonly numbers: DescriptorNumbers;
  readonly #draft: Draft;
  readonly #policy: MountedPolicy;
  readonly #shown: readonly PathGrant[];
  /** Copies of the temp directory, one for each place, and of the ways, in their order. */
  #copies: readonly number[] = [];

  constructor(draft: Draft, policy: MountedPolicy) {
    this.#draft = draft;
    this.#policy = policy;
    const points = policy.temporary?.points ?? [];
    this.#shown = policy.grants.filter(({ path }) => points.some((point) => point.path === path));
    this.numbers = new DescriptorNumbers({ holds: this.#shown.length > 0 });
  }

  /** Where a tree is mounted again: its mount point if there is one, or else the tree itself. */
  pointOf(pinned: PinnedDirectory): PinnedDirectory {
    const { temporary, root } = this.#policy;
    return [...temporary?.points ?? [], ...root?.points ?? []].find(({ path }) => path === pinned.path) ?? pinned;
  }

  /** Copies the temp directory, which is open on `place` and was compared, and the ways. */
  setAside(place: number): void {
    const { places = [], ways = [], tree: { path } = { path: "" } } = this.#policy.temporary ?? {};
    const step = TEMPORARY_STEP;
    const copy = { place, path, attributes: MOUNT_ATTR_NODEV, step };
    const copies = places.map(() => copyMounts(this.#draft, copy, this.numbers));
    const sources = ways.map(({ source }) => {
      const opened = openPinned(this.#draft, source, step, this.numbers);
      const way = { place: opened, path: source.path, attributes: READ_ONLY, step };
      return copyMounts(this.#draft, way, this.numbers);
    });
    this.#copies = [...copies, ...sources];
  }

  /** Copies readable paths, read-only. An empty directory or file replaces a missing one. */
  readables(): readonly CopiedTree[] {
    const { temporary } = this.#policy;
    if (temporary === undefined || this.#shown.length === 0) return [];
    const { table, sys } = this.#draft;
    const covers = { directory: this.numbers.take(), file: this.numbers.take() };
    openPlace(this.#draft, temporary.covers.directory, { step: TEMPORARY_STEP, expect: covers.directory });
    openPlace(this.#draft, temporary.covers.file, { step: TEMPORARY_STEP, expect: covers.file });
    table.call(TEMPORARY_STEP, sys.dup3, [covers.directory, HELD_FD, O_CLOEXEC]);
    return this.#shown.map((grant) => this.#readable(grant, covers[grant.kind]));
  }

  /** Covers the places, and opens the ways in them. */
  mount(): void {
    const { places = [], ways = [] } = this.#policy.temporary ?? {};
    const step = TEMPORARY_STEP;
    places.forEach((path, index) => {
      const place = this.numbers.take();
      openPlace(this.#draft, path, { step, directory: true, expect: place });
      mountOn(this.#draft, { tree: this.#copies[index] ?? -1, place, step });
    });
    ways.forEach(({ at }, index) => {
      const place = openPinned(this.#draft, at, step, this.numbers);
      mountOn(this.#draft, { tree: this.#copies[places.length + index] ?? -1, place, step });
    });
  }

  /** Whether it is there decides which descriptor is free next, so the number is freed again either way. */
  #readable({ path, kind, rights, identity }: PathGrant, cover: number): CopiedTree {
    const { table, sys } = this.#draft;
    const step = `show "${path}"`;
    const opened = openPlace(this.#draft, path, { step, directory: kind === "directory", mode: "soft" });
    const held = table.call(step, sys.dup3, [cover, HELD_FD, O_CLOEXEC]);
    table.passOn(opened, held);
    // What is mounted here has the rights of the temp directory.
    if (identity !== undefined) comparePlace(this.#draft, HELD_FD, { path, ...identity }, sameDirectoryStep(path));
    // Landlock's rights on the temp directory hold for what is mounted in it too, so these have to be the mount's.
    const attributes = READ_ONLY | ((rights & FS.execute) === 0 ? MOUNT_ATTR_NOEXEC : 0n);
    const tree = copyMounts(this.#draft, { place: HELD_FD, path, attributes, step }, {
      take: () => {
        const number = this.numbers.take();
        table.call(step, sys.close, [number], { mode: "soft" });
        return number;
      },
    });
    const at = this.#policy.temporary?.points.find((point) => point.path === path);
    if (at === undefined) throw new RangeError(`Cannot show "${path}": it has no mount point`);
    return { path, at, tree };
  }
}

/** Outer paths come before inner ones. */
export function outerFirst<Tree extends { readonly path: string }>(trees: readonly Tree[]): readonly Tree[] {
  return trees.toSorted((one, other) => one.path.length - other.path.length);
}
