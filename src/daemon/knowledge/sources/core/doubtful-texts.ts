/**
 * Failures of a text alone after which it goes without a vector. The third of them opens the breaker, and a question of
 * the embedder's own closes it again: the provider answers, only not for this text.
 */
const mostFailures = 4

/**
 * Finds the text at which a provider breaks, though it answers others: batches that failed are halved, and a text that
 * failed alone stands behind the others.
 */
export class DoubtfulTexts {
  readonly #failures = new Map<string, number>()
  readonly #most: number
  #size: number

  /** @param most texts of one batch */
  constructor(most: number) {
    this.#most = most
    this.#size = most
  }

  /** So many have to be looked at to find a batch. */
  toLookAt(): number {
    return this.#most + this.#failures.size
  }

  /** Those of the given texts that are to be asked for next; one alone where nothing but doubtful ones are left. */
  choose<T>(texts: readonly T[], keyOf: (text: T) => string): T[] {
    const sound = texts.filter(text => !this.#failures.has(keyOf(text)))
    return sound.length > 0 ? sound.slice(0, this.#size) : texts.slice(0, 1)
  }

  passed(keys: readonly string[]): void {
    for (const key of keys) this.#failures.delete(key)
    this.#size = Math.min(this.#most, this.#size * 2)
  }

  /** @returns whether the one text is to blame; of several it is not known yet. */
  failed(keys: readonly string[]): boolean {
    this.#size = Math.max(1, keys.length >> 1)
    const [key] = keys
    if (key === undefined || keys.length > 1) return false
    const failures = (this.#failures.get(key) ?? 0) + 1
    if (failures < mostFailures) this.#failures.set(key, failures)
    else this.#failures.delete(key)
    return failures === mostFailures
  }
}
