/** Ids of Discord carry their time: milliseconds since 2015 above the lowest 22 bits. */
const epochMs = 1_420_070_400_000n
/** Digits of ids until 2090. */
const longest = 19

/** Negative when `a` is the older one. Ids differ in length, so that they do not sort as texts. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** The smallest id of a time; that of a time before there were ids is 0. */
export function firstIdAt(iso: string): string {
  const ms = BigInt(Date.parse(iso)) - epochMs
  return String(ms > 0n ? ms << 22n : 0n)
}

/** When a thing with that id was made, as an ISO time. */
export function timeOf(id: string): string {
  return new Date(Number((BigInt(id) >> 22n) + epochMs)).toISOString()
}

/**
 * Where the ids between two stand among texts; others stand there too, and are passed over by `compareIds`. Ids of
 * different lengths do not sort as texts: then it is the range of all.
 * @param to undefined for no end
 */
export function textRange(from: string, to: string | undefined): { from: string; to: string } {
  // A colon follows the digits, and the slash of what stands below an id.
  if (from.length !== (to?.length ?? longest)) return { from: '', to: ':' }
  return { from, to: to ?? ':' }
}
