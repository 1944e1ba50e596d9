import { grown } from './growable.js'

/**
 * Strings as small numbers, counted by use: a string that nobody uses any more is forgotten and its number given
 * to the next new one. Number 0 means "none".
 */
export class Dictionary {
  #numbers = new Map<string, number>()
  #texts: (string | undefined)[] = [undefined]
  #uses = new Uint32Array(64)
  #free: number[] = []
  #held: number[] | undefined
  /** By number: which characters occur (a 32-bit Bloom filter). Lets a typo search skip most words unread. */
  signatures = new Uint32Array(64)

  /** How many strings are in use. */
  get size(): number {
    return this.#numbers.size
  }

  /** One more than the highest number ever given. */
  get capacity(): number {
    return this.#texts.length
  }

  /** The number of a known string, otherwise 0. */
  get(text: string): number {
    return this.#numbers.get(text) ?? 0
  }

  /** The string of a number; '' for a number without one. */
  text(number: number): string {
    return this.#texts[number] ?? ''
  }

  /** Strings of the numbers `from` to before `to`; null for a number without one (snapshots). */
  texts(from: number, to: number): (string | null)[] {
    return Array.from({ length: to - from }, (_, i) => this.#texts[from + i] ?? null)
  }

  /** Counts one use of a string, new or known, and gives its number. */
  retain(text: string): number {
    const number = this.#numbers.get(text) ?? this.#add(text, this.#unusedNumber())
    this.#uses[number]!++
    return number
  }

  /** Takes one use back. */
  release(number: number): void {
    if (number === 0 || --this.#uses[number]! > 0) return
    this.#numbers.delete(this.#texts[number]!)
    if (this.#held) this.#held.push(number)
    else this.#forget(number)
  }

  /**
   * Until `unhold`, no number changes its meaning: forgotten strings stay readable by `text`, and new ones come
   * after all others.
   */
  hold(): void {
    this.#held ??= []
  }

  unhold(): void {
    for (const number of this.#held ?? []) this.#forget(number)
    this.#held = undefined
  }

  /** Puts strings back under the numbers they had, from `from` on, with no use yet (snapshots). */
  restore(from: number, texts: readonly (string | null)[]): void {
    while (this.#texts.length < from + texts.length) this.#texts.push(undefined)
    for (const [i, text] of texts.entries()) if (text !== null) this.#add(text, from + i)
  }

  /** Counts uses of a number that `restore` names before or after (snapshots). */
  reuse(number: number, uses = 1): void {
    this.#uses = grown(this.#uses, number + 1)
    if (number !== 0) this.#uses[number]! += uses
  }

  /** Makes numbers that no string holds available again; call once after the last `restore`. */
  reclaim(): void {
    this.#free = []
    this.#uses = grown(this.#uses, this.#texts.length)
    for (let number = 1; number < this.#texts.length; number++) {
      if (this.#uses[number]! > 0) continue
      const text = this.#texts[number]
      if (text !== undefined && this.#numbers.get(text) === number) this.#numbers.delete(text)
      this.#forget(number)
    }
  }

  /** Estimate: typed arrays exactly, about 80 bytes for each string and its map entry. */
  get bytes(): number {
    return this.#uses.byteLength + this.signatures.byteLength + this.#texts.length * 8 + this.size * 80
  }

  #add(text: string, number: number): number {
    this.#numbers.set(text, number)
    this.#texts[number] = text
    this.#uses = grown(this.#uses, number + 1)
    this.signatures = grown(this.signatures, number + 1)
    this.signatures[number] = signatureOf(text)
    return number
  }

  #unusedNumber(): number {
    const free = this.#held ? undefined : this.#free.pop()
    return free ?? this.#texts.length
  }

  #forget(number: number): void {
    this.#texts[number] = undefined
    this.signatures[number] = 0
    this.#free.push(number)
  }
}

/** A bit for every character that occurs in a word, by its code modulo 32. */
export function signatureOf(text: string): number {
  let bits = 0
  for (let i = 0; i < text.length; i++) bits |= 1 << (text.charCodeAt(i) & 31)
  return bits >>> 0
}
