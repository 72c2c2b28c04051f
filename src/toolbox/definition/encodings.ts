/** Encodings of text files that native tools change. */
export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;

export type Encoding = typeof ENCODINGS[number];
