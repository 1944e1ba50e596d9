import { grown } from './growable.js'

/**
 * Strings as small numbers, counted by use: a string that nobody uses any more is forgotten and its number given
 * to the next new one. Number 0 means "none".
 */
export class Dictionary {
  #numbers = new Map<string, number>()
  #texts: string[] = ['']
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

  /** Counts one use of a string, new or known, and gives its number. */
  retain(text: string): number {
    const number = this.#numbers.get(text) ?? this.#add(text, this.#free.pop() ?? this.#texts.length)
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

  /** Until `unhold`, no number changes its meaning: forgotten strings stay readable by `text`. */
  hold(): void {
    this.#held ??= []
  }

  unhold(): void {
    for (const number of this.#held ?? []) this.#forget(number)
    this.#held = undefined
  }

  /** Puts a string back under the number it had, with no use yet (snapshots). */
  restore(number: number, text: string): void {
    while (this.#texts.length < number) this.#texts.push('')
    this.#add(text, number)
  }

  /** Counts one use of a number that `restore` names before or after (snapshots). */
  reuse(number: number): void {
    this.#uses = grown(this.#uses, number + 1)
    if (number !== 0) this.#uses[number]!++
  }

  /** Makes numbers that no string holds available again; call once after the last `restore`. */
  reclaim(): void {
    this.#free = []
    this.#uses = grown(this.#uses, this.#texts.length)
    for (let number = 1; number < this.#texts.length; number++) {
      if (this.#uses[number]! > 0) continue
      const text = this.#texts[number]!
      if (this.#numbers.get(text) === number) this.#numbers.delete(text)
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

  #forget(number: number): void {
    this.#texts[number] = ''
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
