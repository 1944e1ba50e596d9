/*
 * Numbers of the change sequence in a transaction whose statements are sent before the server has answered
 * any. The server knows the number of the change before it, so a statement names only the distance from that.
 * Here such a distance is a number beyond all real ones: the code that counts changes counts it like these.
 */

const beyond = 2 ** 52

/** Returns the number of the first of further changes, after those that were taken before. */
export function upcomingAfter(taken: number): number {
  return beyond + taken + 1
}

/** Returns the distance from the change before the transaction; undefined for any other value. */
export function placeOfUpcoming(value: unknown): number | undefined {
  return typeof value === 'number' && value > beyond ? value - beyond : undefined
}
