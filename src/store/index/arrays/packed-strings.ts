/** Strings of a snapshot: all characters in sequence, and the end of each string. */
export interface StoredStrings {
  hashes: Uint32Array
  ends: Uint32Array
  /** One byte per character, or two if any needs it, so that every string is preserved exactly. */
  encoding: 'latin1' | 'utf16le'
  bytes: Buffer
}

export function storeStrings(texts: readonly string[], hashes: Uint32Array): StoredStrings {
  const all = texts.join('')
  const encoding = /[^\0-\xff]/.test(all) ? 'utf16le' : 'latin1'
  let end = 0
  const ends = Uint32Array.from(texts, text => {
    end += text.length
    return end
  })
  return { hashes, ends, encoding, bytes: Buffer.from(all, encoding) }
}

/** Numbered strings of a snapshot, decoded on demand. */
export class PackedStrings {
  /** In the order of their numbers. */
  #parts: { from: number; stored: StoredStrings }[] = []

  add(from: number, stored: StoredStrings): void {
    this.#parts.push({ from, stored })
  }

  /** @throws RangeError for a number in no part. */
  text(number: number): string {
    const { from, stored } = this.#partOf(number)
    const { ends, encoding, bytes } = stored
    const width = encoding === 'latin1' ? 1 : 2
    const place = number - from
    return bytes.toString(encoding, (ends[place - 1] ?? 0) * width, ends[place]! * width)
  }

  /** Length of a string in characters. @throws RangeError for a number in no part. */
  lengthOf(number: number): number {
    const { from, stored } = this.#partOf(number)
    const place = number - from
    return stored.ends[place]! - (stored.ends[place - 1] ?? 0)
  }

  get bytes(): number {
    return this.#parts.reduce((sum, { stored }) => sum + stored.bytes.length + stored.ends.byteLength, 0)
  }

  #partOf(number: number): { from: number; stored: StoredStrings } {
    let low = 0
    let high = this.#parts.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (this.#parts[middle]!.from <= number) low = middle
      else high = middle
    }
    const part = this.#parts[low]
    if (!part || number - part.from >= part.stored.ends.length) throw new RangeError(`no string ${number}`)
    return part
  }
}
