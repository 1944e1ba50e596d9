const newline = 10

/**
 * The vocabulary's units and their positions. A `Map` of fifty thousand strings would take three times as
 * long to fill at a daemon's first save or recall, and some MB; this table refers to the text instead.
 */
export class Units {
  /** Offset of each unit. */
  readonly #begins: Uint32Array
  /** Positions plus one, by hash; 0 is free. */
  readonly #slots: Uint32Array

  /** @param lines one unit per line, each with a line break and without duplicates */
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

  /** @returns undefined for an unknown unit */
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
