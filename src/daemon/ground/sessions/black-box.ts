import type { NewSessionEvent } from '../../../store/tables/sessions/session-events.js'
import type { SessionName } from '../../../store/tables/sessions/sessions.js'
import type { Ground } from '../ground.js'

type Deps = Pick<Ground, 'store' | 'clock' | 'newId' | 'log'>

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
  payload?: Readonly<Record<string, unknown>>
}

/** Ids that one event names. */
const maxRefs = 100

/**
 * Writes to the black box of a session. Not synced to disk, so a power cut may lose it. Never fails its caller: an
 * event that could not be written is only logged.
 */
export async function noteEvents(
  { store, clock, newId, log }: Deps,
  session: SessionName & { project?: string | null | undefined },
  events: readonly BlackBoxEvent[],
): Promise<void> {
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
  try {
    await store.bookkeeping(({ sessionEvents }) =>
      sessionEvents.append(session, session.project ?? null, rows, clock().toISOString()),
    )
  } catch (error) {
    log.warn({ err: error }, 'session events not written')
  }
}
