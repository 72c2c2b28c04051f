/** Encodings of text files that native tools change. */
export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "latin1"] as const;

export type Encoding = typeof ENCODINGS[number];
