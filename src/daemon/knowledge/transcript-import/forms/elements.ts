import { type RawRecord, RecordBytes, type RecordOffset } from './adapter.js'

const quote = 0x22
const backslash = 0x5c
const opening = new Set([0x7b, 0x5b])
const closing = new Set([0x7d, 0x5d])
const listStart = 0x5b
const listEnd = 0x5d
const comma = 0x2c
/** Bytes between elements: white space, commas, and a byte order mark. */
const between = new Set([32, 9, 10, 13, comma, 0xef, 0xbb, 0xbf])

/**
 * Splits a JSON list into its elements, byte for byte; a document that is not a list is one element. Bytes
 * after the end of the list become elements too, so that nothing is skipped silently.
 */
export async function* elementRecords(
  source: AsyncIterable<Buffer>,
  place: RecordOffset,
): AsyncGenerator<RawRecord> {
  const scanner = new ElementScanner(place)
  for await (const piece of source) yield* scanner.take(piece)
  yield* scanner.rest()
}

class ElementScanner {
  readonly #element = new RecordBytes()
  #number: number
  #end: number
  /** True within the list, including one that began before the resume offset. */
  #isInList: boolean
  #isOver = false
  #depth = 0
  #isInString = false
  #isEscaped = false

  constructor({ bytes, number }: RecordOffset) {
    this.#end = bytes
    this.#number = number
    this.#isInList = bytes > 0
  }

  *take(piece: Buffer): Generator<RawRecord> {
    let from = this.#element.length > 0 ? 0 : -1
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] as number
      // Lists and objects end with their bracket, anything else before a comma or the end of the list.
      if (from >= 0 && this.#isOutside() && (byte === comma || byte === listEnd)) {
        this.#element.add(piece.subarray(from, at))
        yield this.#taken(this.#end + at)
        from = -1
      }
      if (from < 0) {
        if (between.has(byte) || this.#isFrame(byte)) continue
        from = at
      }
      at = this.#step(piece, at)
      if (!this.#isOutside() || !closing.has(piece[at] as number)) continue
      this.#element.add(piece.subarray(from, at + 1))
      yield this.#taken(this.#end + at + 1)
      from = -1
    }
    if (from >= 0) this.#element.add(piece.subarray(from))
    this.#end += piece.length
  }

  *rest(): Generator<RawRecord> {
    if (this.#element.length > 0) yield this.#taken(this.#end)
  }

  /** Consumes the brackets of the list itself. */
  #isFrame(byte: number): boolean {
    if (byte === listStart && !this.#isInList && !this.#isOver) {
      this.#isInList = true
      return true
    }
    if (byte !== listEnd || !this.#isInList) return false
    this.#isInList = false
    this.#isOver = true
    return true
  }

  /**
   * Reads one byte, or a string up to its end.
   * @returns the offset of the last byte read
   */
  #step(piece: Buffer, at: number): number {
    if (this.#isInString) return this.#stepInString(piece, at)
    const byte = piece[at] as number
    if (byte === quote) this.#isInString = true
    else if (opening.has(byte)) this.#depth++
    else if (closing.has(byte)) this.#depth--
    return at
  }

  #stepInString(piece: Buffer, start: number): number {
    for (let at = start; at < piece.length; at++) {
      const byte = piece[at]
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === backslash) this.#isEscaped = true
      else if (byte === quote) {
        this.#isInString = false
        return at
      }
    }
    return piece.length - 1
  }

  /** True outside every list, object and string of an element. */
  #isOutside(): boolean {
    return !this.#isInString && this.#depth <= 0
  }

  #taken(end: number): RawRecord {
    this.#depth = 0
    this.#number++
    return { number: this.#number, end, bytes: this.#element.take() }
  }
}
