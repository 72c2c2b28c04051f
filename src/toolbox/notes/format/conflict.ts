/** Whether git left a conflict in a text: the lines of both sides, each after its marker. Pure. */
export function hasConflict(text: string): boolean {
  let expected = 0;
  for (let at = 0; at >= 0; at = nextLine(text, at)) {
    const marker = MARKERS[expected] ?? "";
    if (text.startsWith(marker, at) && /^(?:[ \r\n]|$)/.test(text.slice(at + marker.length, at + marker.length + 1))) {
      if (++expected === MARKERS.length) return true;
    }
  }
  return false;
}

const MARKERS = ["<<<<<<<", "=======", ">>>>>>>"] as const;

/** Where the next line begins; -1: there is none. */
function nextLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? -1 : end + 1;
}
