/** The best `depth` rows seen so far: a heap with the worst on top. Equal scores: the lower row is better. */
export class TopRows {
  #scores: Float64Array
  #rows: Uint32Array
  #size = 0

  constructor(depth: number) {
    this.#scores = new Float64Array(depth)
    this.#rows = new Uint32Array(depth)
  }

  /** A score below this can't enter; ask before `push` in tight loops. */
  get floor(): number {
    return this.#size < this.#rows.length ? -Infinity : (this.#scores[0] ?? Infinity)
  }

  push(row: number, score: number): void {
    if (this.#size < this.#rows.length) this.#siftUp(this.#size++, row, score)
    else if (this.#size > 0 && this.#isWorse(0, row, score)) this.#siftDown(row, score)
  }

  /** [row, score], best first. */
  sorted(): [number, number][] {
    const pairs: [number, number][] = []
    for (let i = 0; i < this.#size; i++) pairs.push([this.#rows[i]!, this.#scores[i]!])
    return pairs.sort((a, b) => b[1] - a[1] || a[0] - b[0])
  }

  /** Is the entry at `at` worse than this one? */
  #isWorse(at: number, row: number, score: number): boolean {
    const other = this.#scores[at]!
    return other < score || (other === score && this.#rows[at]! > row)
  }

  #siftUp(from: number, row: number, score: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#isWorse(parent, row, score)) break
      this.#move(parent, at)
      at = parent
    }
    this.#put(at, row, score)
  }

  #siftDown(row: number, score: number): void {
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= this.#size) break
      if (child + 1 < this.#size && this.#isWorse(child + 1, this.#rows[child]!, this.#scores[child]!))
        child++
      if (!this.#isWorse(child, row, score)) break
      this.#move(child, at)
      at = child
    }
    this.#put(at, row, score)
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#rows[from]!, this.#scores[from]!)
  }

  #put(at: number, row: number, score: number): void {
    this.#rows[at] = row
    this.#scores[at] = score
  }
}
