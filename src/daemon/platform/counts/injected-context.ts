import { isKnownHarness } from '../../../lib/workspace/harness-files.js'

/** Counts of context injected into sessions; tokens as budgets count them. */
export interface InjectedCounts {
  starts: number
  prompts: number
  tokens: number
}

/** Today's counts, by the local date of this machine. */
export interface InjectedToday {
  /** ISO time at which counting began: midnight, unless the daemon has been counting only since later. */
  since: string
  byHarness: (InjectedCounts & { harness: string })[]
}

/** Today's counts as saved for the next start. */
export interface SavedInjections extends InjectedToday {
  day: string
}

/** Unknown harness names come from callers, so they are counted together and not shown (telemetry.md 2). */
const others = 'others'

const nothing = (): InjectedCounts => ({ starts: 0, prompts: 0, tokens: 0 })

/** Context injected since the daemon started, and today by harness. */
export class InjectedContext {
  readonly #all = nothing()
  #day = ''
  #since = ''
  #today = new Map<string, InjectedCounts>()

  /** Counts one injection, unless it was empty. @param at kind of injection */
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

  /** Sorted by tokens, most first. */
  today(now: Date): InjectedToday {
    this.#turnTo(now)
    const byHarness = [...this.#today]
      .map(([harness, counts]) => ({ harness, ...counts }))
      .sort((a, b) => b.tokens - a.tokens)
    return { since: this.#since, byHarness }
  }

  kept(now: Date): SavedInjections {
    return { ...this.today(now), day: this.#day }
  }

  /**
   * Continues with saved counts. When they are from another day, today's counting is complete since midnight.
   */
  goOn({ day, since, byHarness }: SavedInjections, now: Date): void {
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
