import type { Day } from '../../../contract/operations/analytics.js'

type DayCounts = Omit<Day, 'day'>

/** Days that are kept. */
const maxDays = 90

/** Counts by day over restarts, never contents (telemetry.md 2). */
export class DailyCounts {
  readonly #days = new Map<string, DayCounts>()

  note(counts: Partial<DayCounts>, now: Date): void {
    this.#add(localDay(now), counts)
    for (const day of this.#days.keys()) if (this.#days.size > maxDays) this.#days.delete(day)
  }

  /** The last days, oldest first; days without anything have zeros. @param count at most 90 */
  last(count: number, now: Date): Day[] {
    return Array.from({ length: count }, (_none, index) => {
      const day = localDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - (count - 1 - index)))
      return { day, ...(this.#days.get(day) ?? nothing()) }
    })
  }

  kept(): Day[] {
    return [...this.#days].map(([day, counts]) => ({ day, ...counts }))
  }

  /** Continues with the days of an earlier run; what was counted since the start is added. */
  goOn(saved: readonly Day[]): void {
    const own = this.kept()
    this.#days.clear()
    for (const { day, ...counts } of [...saved, ...own]) this.#add(day, counts)
  }

  #add(day: string, counts: Partial<DayCounts>): void {
    const sums = this.#days.get(day) ?? nothing()
    for (const [name, count] of Object.entries(counts)) sums[name as keyof DayCounts] += count
    this.#days.set(day, sums)
  }
}

const nothing = (): DayCounts => ({
  saved: 0,
  recalls: 0,
  found: 0,
  recallMs: 0,
  starts: 0,
  prompts: 0,
  tokens: 0,
  leftOut: 0,
})

function localDay(time: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}
