import type { Logger } from 'pino'
import type { InjectedItem } from '../../../contract/sessions/black-box.js'
import type { Timers } from '../../../lib/time/timers.js'
import type { Store } from '../../../store/store.js'
import type { NewSessionEvent, SessionEventRow } from '../../../store/tables/sessions/session-events.js'
import type { SessionName } from '../../../store/tables/sessions/sessions.js'
import { LateWriter } from '../telemetry/late-writer.js'

/** Kinds of session events (rules.md 4.11). */
export type EventKind =
  | 'recall.requested'
  | 'recall.result'
  | 'context.recalled'
  | 'artifact.written'
  | 'assertion.created'

export interface BlackBoxEvent {
  kind: EventKind
  /** A few words about the event; never the content of a memory, which may be forgotten later. */
  title: string
  detail?: string
  /** Ids of related memories or nodes, most important first. */
  refs?: readonly string[]
  /** Small figures and names. */
  payload?: Readonly<Record<string, unknown>> & { given?: readonly InjectedItem[] }
}

/** Ids per event. */
const maxRefs = 100

/** Interval between writes; a crash loses up to a second of events. */
const intervalMs = 1000
/** Limit of waiting events while the disk accepts none; later ones are lost. */
const maxWaiting = 2000
/** Batch size of one transaction, since others wait for it. */
const maxTogether = 50

type Session = SessionName & { project?: string | null | undefined }

interface PendingEvent {
  session: Session
  events: readonly NewSessionEvent[]
  at: string
}

interface Options {
  store: Pick<Store, 'write'>
  clock: () => Date
  newId: () => string
  log: Logger
  timers?: Timers
}

/** Items per event. */
const maxGiven = 50

/**
 * Collects session events and writes them in batches to the sessions' black boxes. Hooks and recalls neither
 * wait for it nor fail with it. Not synced to disk, so a power cut may lose more than a second.
 */
export class BlackBoxes {
  readonly #writer: LateWriter<PendingEvent>
  readonly #options: Options
  readonly #listeners = new Set<() => void>()

  constructor(options: Options) {
    this.#options = options
    this.#writer = new LateWriter({
      intervalMs,
      maxWaiting,
      maxTogether,
      write: noted => this.#write(noted),
      onFault: error => options.log.warn({ err: error }, 'session events not written'),
      timers: options.timers,
    })
  }

  note(session: Session, events: readonly BlackBoxEvent[]): void {
    const { newId, clock } = this.#options
    const rows = events.map(
      ({ kind, title, detail = '', refs = [], payload = {} }): NewSessionEvent => ({
        id: newId(),
        kind,
        title,
        detail,
        refs: JSON.stringify(refs.slice(0, maxRefs)),
        payload: JSON.stringify(payload),
      }),
    )
    this.#writer.add({ session, events: rows, at: clock().toISOString() })
    for (const listener of this.#listeners) listener()
  }

  /** Calls back at once for new events, before they are written. @returns a function that ends this */
  onNote(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Writes waiting events before they are read or removed. */
  flush(): Promise<void> {
    return this.#writer.flush()
  }

  /** Writes waiting events a last time. */
  close(): Promise<void> {
    return this.#writer.close()
  }

  async #write(noted: readonly PendingEvent[]): Promise<void> {
    await this.#options.store.write({ until: 'executed' }, async ({ sessionEvents }) => {
      for (const { session, events, at } of noted)
        await sessionEvents.append(session, session.project ?? null, events, at)
    })
  }
}

/** Returns all events of a session's black box, oldest first. */
export async function blackBoxOf(
  { store, blackBoxes }: { store: Pick<Store, 'tables'>; blackBoxes: BlackBoxes },
  session: SessionName,
): Promise<SessionEventRow[]> {
  await blackBoxes.flush()
  return store.tables.sessionEvents.of(session)
}

/** The event payload for items given to a session: their ids and reasons, never their text. */
export function givenPayload(things: readonly InjectedItem[]): { given?: InjectedItem[] } {
  if (things.length === 0) return {}
  const given = things
    .slice(0, maxGiven)
    .map(thing => (thing.score === undefined ? thing : { ...thing, score: Number(thing.score.toFixed(4)) }))
  return { given }
}

/** The event payload with counts by reason for omitted items; zero counts are dropped. */
export function leftOutPayload(counts: Readonly<Record<string, number>>): {
  leftOut?: Record<string, number>
} {
  const told = Object.entries(counts).filter(([, count]) => count > 0)
  return told.length === 0 ? {} : { leftOut: Object.fromEntries(told) }
}
