import { isKnownHarness } from '../../../lib/workspace/harness-files.js'

/** What was put into the context of sessions; tokens as budgets count them. */
export interface InjectedCounts {
  starts: number
  prompts: number
  tokens: number
}

/** What of it was today, by the day of this machine. */
export interface InjectedToday {
  /** From when on it was counted, as ISO time: midnight, unless nobody counted before. */
  since: string
  byHarness: (InjectedCounts & { harness: string })[]
}

/** The same as it is kept for the next start. */
export interface KeptToday extends InjectedToday {
  day: string
}

/** Names that nobody here knows are their callers' own: they are counted together, and not told (telemetry.md 2). */
const others = 'others'

const nothing = (): InjectedCounts => ({ starts: 0, prompts: 0, tokens: 0 })

/** What sessions were given since the daemon started, and today, by harness. */
export class InjectedContext {
  readonly #all = nothing()
  #day = ''
  #since = ''
  #today = new Map<string, InjectedCounts>()

  /** @param at where a session was given something; nothing is counted where that was nothing. */
  note(at: 'starts' | 'prompts', tokens: number, { harness, now }: { harness: string; now: Date }): void {
    if (tokens === 0) return
    this.#turnTo(now)
    for (const counts of [this.#all, this.#of(harness)]) {
      counts[at]++
      counts.tokens += tokens
    }
  }

  all(): InjectedCounts {
    return { ...this.#all }
  }

  /** The most tokens first. */
  today(now: Date): InjectedToday {
    this.#turnTo(now)
    const byHarness = [...this.#today]
      .map(([harness, counts]) => ({ harness, ...counts }))
      .sort((a, b) => b.tokens - a.tokens)
    return { since: this.#since, byHarness }
  }

  kept(now: Date): KeptToday {
    return { ...this.today(now), day: this.#day }
  }

  /** Goes on from what an earlier run kept; where that was another day, nothing of this one was missed. */
  goOn({ day, since, byHarness }: KeptToday, now: Date): void {
    this.#turnTo(now)
    this.#since = day === this.#day ? since : midnightOf(now)
    if (day !== this.#day) return
    for (const { harness, starts, prompts, tokens } of byHarness) {
      const counts = this.#of(harness)
      counts.starts += starts
      counts.prompts += prompts
      counts.tokens += tokens
    }
  }

  #of(harness: string): InjectedCounts {
    const name = isKnownHarness(harness) ? harness : others
    const own = this.#today.get(name) ?? nothing()
    this.#today.set(name, own)
    return own
  }

  #turnTo(now: Date): void {
    const day = now.toDateString()
    if (day === this.#day) return
    this.#since = this.#day === '' ? now.toISOString() : midnightOf(now)
    this.#day = day
    this.#today = new Map()
  }
}

function midnightOf(now: Date): string {
  return new Date(new Date(now).setHours(0, 0, 0, 0)).toISOString()
}
