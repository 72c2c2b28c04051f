/** One file format of settings: its values, and changes of its text that keep comments and the rest as they are. */
import type { EntryPlace, Table } from "./entry_place.ts";

export interface SettingsFormat {
  /** The values of a file. @throws Error when it is not such a file; its message says why */
  readonly parse: (text: string) => unknown;
  /** The text of a new file with these values. */
  readonly write: (values: Table) => string;
  /** The text with the entry; one of that name is replaced. */
  readonly set: (text: string, place: EntryPlace, name: string, value: Table) => string;
  /** The text without the entry of that name, and without what then holds nothing, not even a comment. */
  readonly remove: (text: string, place: EntryPlace, name: string) => string;
  /** The comments outside the entry, in order. */
  readonly comments: (text: string, place: EntryPlace, name: string) => readonly string[];
}
