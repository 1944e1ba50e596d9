import { type LogEntry, logLevels } from '../../../contract/operations/logs.js'
import { jsonOf } from '../../../lib/text/json-of.js'

const maxMessage = 1000

export interface LogFilter {
  /** Minimum level. */
  level?: LogEntry['level'] | undefined
  category?: string | undefined
  /** ISO 8601, inclusive. */
  since?: string | undefined
}

/** The newest log entries in memory, with followers (telemetry.md 1). */
export class RecentLogs {
  readonly #all = new Newest<LogEntry>(2000)
  /** Kept separately, so that routine entries cannot displace them. */
  readonly #faults = new Newest<LogEntry>(500)
  readonly #followers = new Set<(entry: LogEntry) => void>()

  /** Parses a line written by pino; other lines are skipped. */
  take(line: string): void {
    const entry = entryOf(line)
    if (!entry) return
    this.#all.add(entry)
    if (matchesFilter(entry, { level: 'warn' })) this.#faults.add(entry)
    for (const follow of this.#followers) follow(entry)
  }

  /** The newest `limit` matching entries, oldest first. */
  list(filter: LogFilter, limit: number): LogEntry[] {
    return this.#all
      .inOrder()
      .filter(entry => matchesFilter(entry, filter))
      .slice(-limit)
  }

  /** Matching warnings and errors, oldest first. */
  faults(filter: LogFilter): LogEntry[] {
    return this.#faults.inOrder().filter(entry => matchesFilter(entry, filter))
  }

  /** Calls `each` for every new entry. @returns a function that stops it. */
  follow(each: (entry: LogEntry) => void): () => void {
    this.#followers.add(each)
    return () => this.#followers.delete(each)
  }
}

/** A ring buffer: the oldest item is dropped when it is full. */
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

export function matchesFilter(entry: LogEntry, { level = 'debug', category, since }: LogFilter): boolean {
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

/** Keeps an error's code or class, never its message, which may quote user input. */
function entryOf(line: string): LogEntry | undefined {
  const value = jsonOf(line) as Partial<Line> | undefined
  if (typeof value?.level !== 'number' || typeof value.time !== 'string') return undefined
  const { level, time, msg = '', category = 'daemon', err } = value
  const fault = err?.code ?? err?.type
  // Equal faults have equal words, and so have equal requests of the level debug.
  const more = fault ?? (levelOf(level) === 'info' ? figuresOf(value) : undefined)
  const message = more === undefined ? msg : `${msg} (${String(more)})`
  return { level: levelOf(level), category, message: message.slice(0, maxMessage), at: time }
}

const unsaid = ['level', 'time', 'pid']

/** The numbers of a line: `3 imported, 1 rejected, duration 120 ms`. Its texts may quote user input. */
function figuresOf(line: object): string | undefined {
  const figures = Object.entries(line).flatMap(([name, figure]) => {
    if (unsaid.includes(name) || typeof figure !== 'number') return []
    const words = name.replaceAll(/[A-Z]/gu, capital => ` ${capital.toLowerCase()}`)
    return [words.endsWith(' ms') ? `${words.slice(0, -3)} ${Math.round(figure)} ms` : `${figure} ${words}`]
  })
  return figures.length > 0 ? figures.join(', ') : undefined
}

/** Maps pino's level number to its name. */
function levelOf(level: number): LogEntry['level'] {
  if (level >= 50) return 'error'
  if (level >= 40) return 'warn'
  return level >= 30 ? 'info' : 'debug'
}
