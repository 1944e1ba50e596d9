/*
 * Marks of rows: a byte of 0 or 1 each, in arrays that begin at a multiple of four, so that four of them are looked at
 * together. The loops stand in functions of their own: the first search after a start goes through all rows with code that
 * has not been compiled before, and V8 compiles what is called with one sort of array soonest.
 */

function wordsOf(marks: Uint8Array): Uint32Array {
  return new Uint32Array(marks.buffer, marks.byteOffset, marks.length >>> 2)
}

/** Sets what is set in `others`, of the same length. */
export function addMarks(marks: Uint8Array, others: Uint8Array): void {
  const [words, theirs] = [wordsOf(marks), wordsOf(others)]
  for (let i = 0; i < words.length; i++) words[i]! |= theirs[i]!
  for (let i = words.length * 4; i < marks.length; i++) marks[i]! |= others[i]!
}

/** Clears what is set in `others`, of the same length. */
export function clearMarks(marks: Uint8Array, others: Uint8Array): void {
  const [words, theirs] = [wordsOf(marks), wordsOf(others)]
  for (let i = 0; i < words.length; i++) words[i]! &= ~theirs[i]!
  for (let i = words.length * 4; i < marks.length; i++) marks[i]! &= ~others[i]!
}

/** Clears the marks of rows whose number is not accepted; the first mark is that of row `from`. */
export function keepAccepted(
  marks: Uint8Array,
  numbers: Uint32Array,
  from: number,
  accepted: Uint8Array,
): void {
  for (let i = 0; i < marks.length; i++) marks[i]! &= accepted[numbers[from + i]!]!
}

/** How many are set. */
export function countMarks(marks: Uint8Array): number {
  const words = wordsOf(marks)
  let count = 0
  // The highest byte of the product is the sum of all four.
  for (let i = 0; i < words.length; i++) count += Math.imul(words[i]!, 0x01010101) >>> 24
  for (let i = words.length * 4; i < marks.length; i++) count += marks[i]!
  return count
}
