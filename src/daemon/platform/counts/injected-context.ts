/** What was put into the context of sessions; tokens as budgets count them. */
export interface InjectedCounts {
  starts: number
  prompts: number
  tokens: number
}

/** Names of harnesses are their callers' own: further ones are counted together. */
const maxHarnesses = 50
const others = 'others'

const nothing = (): InjectedCounts => ({ starts: 0, prompts: 0, tokens: 0 })

/** What sessions were given since the daemon started, and of that today, by harness. */
export class InjectedContext {
  readonly #all = nothing()
  #day = ''
  #today = new Map<string, InjectedCounts>()

  /** @param at where a session was given something; nothing is counted where that was nothing. */
  note(at: 'starts' | 'prompts', tokens: number, { harness, now }: { harness: string; now: Date }): void {
    if (tokens === 0) return
    this.#turnTo(now)
    const name = this.#today.has(harness) || this.#today.size < maxHarnesses ? harness : others
    const own = this.#today.get(name) ?? nothing()
    this.#today.set(name, own)
    for (const counts of [this.#all, own]) {
      counts[at]++
      counts.tokens += tokens
    }
  }

  all(): InjectedCounts {
    return { ...this.#all }
  }

  /** Of the day of this machine, the most tokens first. */
  today(now: Date): (InjectedCounts & { harness: string })[] {
    this.#turnTo(now)
    return [...this.#today]
      .map(([harness, counts]) => ({ harness, ...counts }))
      .sort((a, b) => b.tokens - a.tokens)
  }

  #turnTo(now: Date): void {
    const day = now.toDateString()
    if (day === this.#day) return
    this.#day = day
    this.#today = new Map()
  }
}
