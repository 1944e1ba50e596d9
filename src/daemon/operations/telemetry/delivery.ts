import { createHash } from 'node:crypto'
import {
  type EventName,
  eventProperties,
  isEventName,
  localProperties,
} from '../../../contract/operations/telemetry/telemetry-events.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { EventRow } from '../../../store/tables/operations/telemetry.js'
import { exchange, openConnection } from '../../ground/fetch/exchange.js'
import { telemetryEnabled } from '../../ground/recording/record-event.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** Limit of one request. */
const maxBytes = 256 * 1024

interface Payload {
  body: string
  /** Number of events included; other rows are skipped. */
  events: number
  /** Id of the last row covered. */
  lastId: number
}

/**
 * Builds a request from stored events, as many as fit, oldest first. It includes only documented events and
 * properties (telemetry.md 8). Equal events give an equal `batch`, so a receiver recognises a repeated one.
 */
export function payloadOf(rows: readonly EventRow[]): Payload {
  const told: string[] = []
  let bytes = 0
  let lastId = 0
  for (const row of rows) {
    const text = eventJson(row)
    if (text !== undefined) {
      if (told.length > 0 && bytes + text.length > maxBytes) break
      bytes += text.length
      told.push(text)
    }
    lastId = row.id
  }
  const events = `[${told.join(',')}]`
  const batch = createHash('sha256').update(events).digest('hex').slice(0, 32)
  return { body: `{"version":1,"batch":"${batch}","events":${events}}`, events: told.length, lastId }
}

/** @returns undefined for an event of another release, since its properties can't be checked */
function eventJson({ event, properties, at }: EventRow): string | undefined {
  if (!isEventName(event)) return undefined
  const read = eventProperties[event].safeParse(JSON.parse(properties))
  if (!read.success) return undefined
  return JSON.stringify({ event, properties: withoutLocal(event, read.data), timestamp: at })
}

function withoutLocal(event: EventName, properties: object): object {
  const kept = localProperties[event] ?? []
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !kept.includes(name)))
}

/** Limit of one request, whatever the server does. */
const deadlineMs = 10_000
/** The answer's body is not used. */
const maxReplyBytes = 4096

/** Result of a request: accepted, rejected because of its content, or to be retried. */
export type PostResult = { end: 'taken' } | { end: 'refused' } | { end: 'failed'; askedMs: number }

/** Statuses that mean these events will never be accepted. */
const refusals = [400, 413, 415, 422]

/**
 * Posts events within a deadline, without following redirects. @throws the signal's reason when that was
 * aborted
 */
async function postEvents(url: URL, body: string, signal: AbortSignal): Promise<PostResult> {
  const agent = await openConnection({ connectMs: deadlineMs, silenceMs: deadlineMs })
  try {
    const reply = await exchange(agent, {
      url,
      body,
      headers: {},
      maxBytes: maxReplyBytes,
      beyond: 'cut',
      signal,
      deadlineMs,
    })
    if (reply.status >= 200 && reply.status < 300) return { end: 'taken' }
    if (refusals.includes(reply.status)) return { end: 'refused' }
    const asked = Number(reply.headers['retry-after']) * 1000
    return { end: 'failed', askedMs: asked > 0 ? asked : 0 }
  } catch {
    if (signal.aborted) throw signal.reason
    return { end: 'failed', askedMs: 0 }
  } finally {
    await agent.destroy()
  }
}

const firstMs = 5_000

const longestMs = 3_600_000

/** Limit of the unsent backlog; older events are never sent. */
export const maxUnsent = 10_000
const rowsTogether = 500
/** Consecutive requests before other work gets a turn. */
const requestsTogether = 20
const recentMs = 3_600_000
const keptAttempts = 1000
/** Stored position while no address is configured. */
const nowhere = '{}'

export type DeliveryDeps = Pick<
  Daemon,
  'store' | 'telemetry' | 'configuration' | 'environment' | 'clock' | 'log'
>

interface Options {
  timers?: Timers
  /** A monotonic clock in milliseconds: waits must not change with the wall clock. */
  now?: () => number
  random?: () => number
  post?: (url: URL, body: string, signal: AbortSignal) => Promise<PostResult>
}

/** Position of the delivery for one address: events from before the address was set are never sent. */
interface DeliveryCursor {
  /** Hash of the address. */
  to: string
  /** Id of the last event that was sent or skipped. */
  after: number
  /** ISO time of the last accepted request. */
  deliveredAt: string | null
}

/** Delivery figures for the health report. */
export interface DeliveryState {
  isConfigured: boolean
  unsent: number
  /** ISO times. */
  oldestUnsentAt: string | null
  deliveredAt: string | null
  successes: number
  failures: number
  consecutiveFailures: number
  isBackingOff: boolean
  dropped: number
}

/**
 * Sends recorded events to the configured address only; without one it does nothing (telemetry.md 8).
 * Rejected events wait for the next attempt, up to a limit.
 */
export class Delivery {
  readonly #deps: DeliveryDeps
  readonly #options: Required<Options>
  readonly #life = new AbortController()
  readonly #attempts: { at: number; isTaken: boolean }[] = []
  #failures = 0
  #dropped = 0
  #until = 0
  #cancel: (() => void) | undefined
  #working: Promise<void> | undefined

  constructor(deps: DeliveryDeps, options: Options = {}) {
    this.#deps = deps
    this.#options = {
      timers: systemTimers,
      now: () => performance.now(),
      random: Math.random,
      post: postEvents,
      ...options,
    }
  }

  /** Reads the settings, at start and after each change. A new address gets new events only. */
  look(): void {
    if (this.#life.signal.aborted) return
    this.#cancel?.()
    this.#cancel = undefined
    this.#until = 0
    this.#run(() => (this.#isConfigured() ? this.#address() && this.#place() : this.#forget()))
  }

  async close(): Promise<void> {
    this.#life.abort()
    this.#cancel?.()
    await this.#working
  }

  async state(): Promise<DeliveryState> {
    const since = this.#options.now() - recentMs
    const recent = this.#attempts.filter(({ at }) => at > since)
    const successes = recent.filter(({ isTaken }) => isTaken).length
    const told = {
      isConfigured: this.#isConfigured(),
      successes,
      failures: recent.length - successes,
      consecutiveFailures: this.#failures,
      isBackingOff: this.#until > this.#options.now(),
      dropped: this.#dropped,
    }
    if (this.#address() === undefined) return { ...told, unsent: 0, oldestUnsentAt: null, deliveredAt: null }
    const { after, deliveredAt } = await this.#place()
    const { telemetry } = this.#deps.store.tables
    const [oldest] = await telemetry.after(after, 1)
    const unsent = oldest ? await telemetry.countAfter(after, maxUnsent) : 0
    return { ...told, unsent, oldestUnsentAt: oldest?.at ?? null, deliveredAt }
  }

  #isConfigured(): boolean {
    return this.#deps.configuration().settings.telemetry.delivery.url !== undefined
  }

  /** Undefined while nothing may be sent. */
  #address(): URL | undefined {
    const { url } = this.#deps.configuration().settings.telemetry.delivery
    return url === undefined || !telemetryEnabled(this.#deps) ? undefined : new URL(url)
  }

  #run(work: () => Promise<unknown> | undefined): void {
    this.#working = (this.#working ?? Promise.resolve())
      .then(work)
      .catch(error => {
        if (!this.#life.signal.aborted) this.#deps.log.warn({ err: error }, 'telemetry events not sent')
      })
      .then(() => this.#wait())
  }

  #wait(): void {
    if (this.#life.signal.aborted || this.#cancel || this.#address() === undefined) return
    const { intervalMs } = this.#deps.configuration().settings.telemetry.delivery
    const backingOff = Math.max(0, this.#until - this.#options.now())
    this.#cancel = this.#options.timers.after(backingOff > 0 ? backingOff : intervalMs, () => {
      this.#cancel = undefined
      this.#run(() => this.#send())
    })
  }

  /** Position where sending continues. A new address starts with events recorded from now on. */
  async #place(): Promise<DeliveryCursor> {
    const { store, telemetry } = this.#deps
    const to = createHash('sha256').update(String(this.#address())).digest('hex').slice(0, 16)
    const stored = await store.tables.meta.placeOf('telemetry-delivery')
    const known = JSON.parse(stored ?? nowhere) as Partial<DeliveryCursor>
    if (known.to === to) return known as DeliveryCursor
    await telemetry.flush()
    const place = { to, after: await store.tables.telemetry.last(), deliveredAt: null }
    await this.#note(place)
    return place
  }

  /** Events recorded without an address are never sent later. */
  async #forget(): Promise<void> {
    const { meta } = this.#deps.store.tables
    const stored = await meta.placeOf('telemetry-delivery')
    if (stored !== undefined && stored !== nowhere) await meta.notePlace('telemetry-delivery', nowhere)
  }

  async #note(place: DeliveryCursor): Promise<void> {
    await this.#deps.store.tables.meta.notePlace('telemetry-delivery', JSON.stringify(place))
  }

  async #send(): Promise<void> {
    await this.#deps.telemetry.flush()
    let place = await this.#bounded(await this.#place())
    for (let request = 0; request < requestsTogether; request++) {
      const url = this.#address()
      const rows = await this.#deps.store.tables.telemetry.after(place.after, rowsTogether)
      if (!url || rows.length === 0) return
      const payload = payloadOf(rows)
      const isTaken = payload.events === 0 || (await this.#post(url, payload))
      if (isTaken === undefined) return
      const deliveredAt = isTaken && payload.events > 0 ? this.#deps.clock().toISOString() : place.deliveredAt
      place = { ...place, after: payload.lastId, deliveredAt }
      await this.#note(place)
    }
  }

  /** Skips the oldest events beyond the limit. */
  async #bounded(place: DeliveryCursor): Promise<DeliveryCursor> {
    const { telemetry } = this.#deps.store.tables
    const oldest = (await telemetry.last()) - maxUnsent
    if (oldest <= place.after) return place
    this.#dropped += oldest - place.after
    const bounded = { ...place, after: oldest }
    await this.#note(bounded)
    return bounded
  }

  /** @returns true when accepted, false when rejected permanently, undefined when it should be retried */
  async #post(url: URL, { body, events }: Payload): Promise<boolean | undefined> {
    const { now, random, post } = this.#options
    const posted = await post(url, body, this.#life.signal)
    this.#attempts.push({ at: now(), isTaken: posted.end === 'taken' })
    this.#attempts.splice(0, this.#attempts.length - keptAttempts)
    if (posted.end === 'taken') {
      this.#failures = 0
      return true
    }
    this.#failures++
    if (posted.end === 'refused') {
      this.#dropped += events
      return false
    }
    this.#until = now() + backOffMs(this.#failures, posted.askedMs, random)
    return undefined
  }
}

/**
 * Wait after a failure: five seconds, doubled each time up to an hour, of which a random half to all, so that
 * many machines don't return at once. A longer requested wait is respected, up to the same hour.
 * @param failures in a row, at least one
 * @param random 0 to 1, as Math.random
 */
export function backOffMs(failures: number, askedMs: number, random: () => number): number {
  const growing = Math.min(firstMs * 2 ** Math.min(failures - 1, 20), longestMs)
  return Math.max(Math.round(growing * (0.5 + random() / 2)), Math.min(askedMs, longestMs))
}
