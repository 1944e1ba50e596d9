import type { Logger } from 'pino'
import type { GivenThing } from '../../../contract/sessions/black-box.js'
import type { Timers } from '../../../lib/time/timers.js'
import type { Store } from '../../../store/store.js'
import type { NewSessionEvent, SessionEventRow } from '../../../store/tables/sessions/session-events.js'
import type { SessionName } from '../../../store/tables/sessions/sessions.js'
import { LateWriter } from '../telemetry/late-writer.js'

/** What happened in a session (rules.md 4.11). */
export type EventKind =
  | 'recall.requested'
  | 'recall.result'
  | 'context.recalled'
  | 'artifact.written'
  | 'assertion.created'

export interface BlackBoxEvent {
  kind: EventKind
  /** What happened, in a few words; never the content of a memory, which may be forgotten later. */
  title: string
  detail?: string
  /** Ids of the memories or nodes it is about, the most important first. */
  refs?: readonly string[]
  /** Small figures and names. */
  payload?: Readonly<Record<string, unknown>> & { given?: readonly GivenThing[] }
}

/** Ids that one event names. */
const maxRefs = 100

/** Events wait so long to be written together: a crash loses those of a second. */
const intervalMs = 1000
/** Events that wait while the disk takes none; later ones are lost then. */
const maxWaiting = 2000
/** In one transaction, which others wait for. */
const maxTogether = 50

type Session = SessionName & { project?: string | null | undefined }

interface Noted {
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

/**
 * Takes what happens in sessions, and writes it to their black boxes for many at once: no hook and no recall waits for
 * it, and none fails by it. Not synced to disk, so a power cut may lose more.
 */
export class BlackBoxes {
  readonly #writer: LateWriter<Noted>
  readonly #options: Options

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
  }

  /** Writes what waits, for whoever reads it or takes it away. */
  flush(): Promise<void> {
    return this.#writer.flush()
  }

  /** Writes what waits a last time. */
  close(): Promise<void> {
    return this.#writer.close()
  }

  #write(noted: readonly Noted[]): Promise<void> {
    return this.#options.store.write({ until: 'executed' }, async ({ sessionEvents }) => {
      for (const { session, events, at } of noted)
        await sessionEvents.append(session, session.project ?? null, events, at)
    })
  }
}

/** Every event that a session's black box holds, oldest first. */
export async function blackBoxOf(
  { store, blackBoxes }: { store: Pick<Store, 'tables'>; blackBoxes: BlackBoxes },
  session: SessionName,
): Promise<SessionEventRow[]> {
  await blackBoxes.flush()
  return store.tables.sessionEvents.of(session)
}
