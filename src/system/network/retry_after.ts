/** The pause that an answer asks for with `Retry-After`, milliseconds; undefined: it asks for none. Pure. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const given = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(given)) return Number(given) * 1000;
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
