const newline = 10

/**
 * The units of a vocabulary, and which place each has. A `Map` of fifty thousand strings takes three times as long to fill,
 * which the first save or recall of a daemon waits for, and some MB; this table points into their text.
 */
export class Units {
  /** Where each begins. */
  readonly #begins: Uint32Array
  /** Places by hash, each plus one; 0 is free. */
  readonly #slots: Uint32Array

  /** @param lines each unit on a line of its own, with a line break behind the last one too; no unit stands there twice */
  constructor(readonly lines: string) {
    const begins = [0]
    for (let end = lines.indexOf('\n'); end >= 0; end = lines.indexOf('\n', end + 1)) begins.push(end + 1)
    this.#begins = Uint32Array.from(begins)
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * begins.length)))
    this.#fill()
  }

  get count(): number {
    return this.#begins.length - 1
  }

  /** @returns undefined for what is no unit */
  placeOf(unit: string): number | undefined {
    const { lines } = this
    const mask = this.#slots.length - 1
    for (let slot = hashOf(unit, 0, unit.length) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]! - 1
      if (place < 0) return undefined
      const begin = this.#begins[place]!
      if (lines.charCodeAt(begin + unit.length) === newline && lines.startsWith(unit, begin)) return place
    }
  }

  #fill(): void {
    const [begins, slots] = [this.#begins, this.#slots]
    const mask = slots.length - 1
    for (let place = 0; place < this.count; place++) {
      let slot = hashOf(this.lines, begins[place]!, begins[place + 1]! - 1) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = place + 1
    }
  }
}

/** FNV-1a over UTF-16 code units. */
function hashOf(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash ^ (hash >>> 15)
}
