import { type LogEntry, logLevels } from '../../../contract/operations/logs.js'
import { jsonOf } from '../../../lib/text/json-of.js'

const maxMessage = 1000

export interface LogFilter {
  /** This level and those above it. */
  level?: LogEntry['level'] | undefined
  category?: string | undefined
  /** ISO 8601, inclusive. */
  since?: string | undefined
}

/** The newest entries of the log in memory, and those who follow it (telemetry.md 1). */
export class RecentLogs {
  readonly #all = new Newest<LogEntry>(2000)
  /** Kept apart, so that much talk drives none of them out. */
  readonly #faults = new Newest<LogEntry>(500)
  readonly #followers = new Set<(entry: LogEntry) => void>()

  /** Takes a line of the log in, as pino writes it; a line that is none is left out. */
  take(line: string): void {
    const entry = entryOf(line)
    if (!entry) return
    this.#all.add(entry)
    if (fits(entry, { level: 'warn' })) this.#faults.add(entry)
    for (const follow of this.#followers) follow(entry)
  }

  /** Those that fit, oldest first; the newest `limit` of them. */
  list(filter: LogFilter, limit: number): LogEntry[] {
    return this.#all
      .inOrder()
      .filter(entry => fits(entry, filter))
      .slice(-limit)
  }

  /** Warnings and errors that fit, oldest first. */
  faults(filter: LogFilter): LogEntry[] {
    return this.#faults.inOrder().filter(entry => fits(entry, filter))
  }

  /** Calls for each entry that comes. @returns ends it. */
  follow(each: (entry: LogEntry) => void): () => void {
    this.#followers.add(each)
    return () => this.#followers.delete(each)
  }
}

/** As many as there is room for; the oldest goes. */
class Newest<T> {
  readonly #kept: T[] = []
  #first = 0

  constructor(readonly size: number) {}

  add(one: T): void {
    if (this.#kept.length < this.size) this.#kept.push(one)
    else {
      this.#kept[this.#first] = one
      this.#first = (this.#first + 1) % this.size
    }
  }

  inOrder(): T[] {
    return [...this.#kept.slice(this.#first), ...this.#kept.slice(0, this.#first)]
  }
}

/** Whether an entry is one of those that are asked for. */
export function fits(entry: LogEntry, { level = 'debug', category, since }: LogFilter): boolean {
  return (
    logLevels.indexOf(entry.level) >= logLevels.indexOf(level) &&
    (category === undefined || entry.category === category) &&
    (since === undefined || Date.parse(entry.at) >= Date.parse(since))
  )
}

interface Line {
  level: number
  time: string
  msg?: string
  category?: string
  err?: { code?: unknown; type?: unknown }
}

/** Of an error its code or its class, never its words: these quote what somebody gave. */
function entryOf(line: string): LogEntry | undefined {
  const value = jsonOf(line) as Partial<Line> | undefined
  if (typeof value?.level !== 'number' || typeof value.time !== 'string') return undefined
  const { level, time, msg = '', category = 'daemon', err } = value
  const fault = err?.code ?? err?.type
  const message = fault === undefined ? msg : `${msg} (${String(fault)})`
  return { level: levelOf(level), category, message: message.slice(0, maxMessage), at: time }
}

/** The word of pino's number. */
function levelOf(level: number): LogEntry['level'] {
  if (level >= 50) return 'error'
  if (level >= 40) return 'warn'
  return level >= 30 ? 'info' : 'debug'
}
