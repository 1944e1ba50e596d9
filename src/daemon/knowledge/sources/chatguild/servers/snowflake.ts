/** Ids of Discord carry their time: milliseconds since 2015 above the lowest 22 bits. */
const epochMs = 1_420_070_400_000n
const longest = 20

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
 * The ids with `from` <= id < `to`, one range of texts for each length: what is longer or shorter lies between them too,
 * and is passed over.
 * @param to undefined for no end
 */
export function textRanges(
  from: string,
  to: string | undefined,
): { from: string; to: string; length: number }[] {
  const last = to?.length ?? longest
  return Array.from({ length: Math.max(0, last - from.length + 1) }, (_, step) => {
    const length = from.length + step
    return {
      length,
      from: step === 0 ? from : `1${'0'.repeat(length - 1)}`,
      // A colon follows the digits, and the slash of what stands below an id.
      to: length === to?.length ? to : `${'9'.repeat(length)}:`,
    }
  })
}
