import { deferred } from '../../../../lib/concurrency/deferred.js'
import { unlessAborted } from '../../../../lib/concurrency/stop-waiting.js'
import type { SourceJobRow, SourceRow } from '../../../../store/tables/knowledge/sources.js'
import {
  type KindDeps,
  type Pass,
  type Source,
  type SourceEvent,
  SourceFailure,
  type SourceKind,
} from './kind.js'
import type { EventWriter, WriteDeps } from './write-events.js'

/** Ends a run before its pass is complete. `again`: a new pass replaces the following of changes. */
export class RunEnded extends Error {
  override name = 'RunEnded'

  constructor(readonly why: 'paused' | 'stopped' | 'removed' | 'again') {
    super(`reading of the source was stopped: ${why}`)
  }
}

export type PassDeps = KindDeps & WriteDeps

/** The outcome of a pass. */
export type PassEnd =
  | { status: 'complete'; failure: string | undefined }
  | { status: 'paused'; reason: string; frontier: string | null; retryAfterMs: number | undefined }

/** Pending events are written after the kind has been silent for this long. */
const idleMs = 300

/**
 * Returns the source of a row with its settings parsed.
 * @throws SourceFailure when its kind does not accept the settings
 */
export function toSource<Settings>(kind: SourceKind<Settings>, row: SourceRow): Source<Settings> {
  const settings = kind.settings.safeParse(JSON.parse(row.settings))
  if (!settings.success) throw new SourceFailure('its settings cannot be read; remove it and add it again')
  return { id: row.id, agentId: row.agent_id, name: row.name, root: row.root, settings: settings.data }
}

/** Builds the interface that a kind may use while it reads. */
export function passOf(
  deps: Pick<KindDeps, 'store' | 'secrets' | 'budget'>,
  row: Pick<SourceRow, 'id'>,
  job: Pick<SourceJobRow, 'is_full' | 'resume_frontier'>,
  { number, signal }: { number: number; signal: AbortSignal },
): Pass {
  const { sourceArtifacts, sourceNotes } = deps.store.tables
  return {
    signal,
    full: job.is_full === 1,
    frontier: job.resume_frontier,
    number,
    known: path => sourceArtifacts.known(row.id, path),
    knownAfter: async page => {
      // A kind may walk through all known artifacts: yield between pages.
      await deps.budget.breathe()
      return sourceArtifacts.knownAfter(row.id, page)
    },
    checkpoint: key => sourceNotes.checkpoint(row.id, key),
    secret: reference => deps.secrets.resolve(reference),
  }
}

/**
 * Writes the events of a kind until it ends, pauses or throws; earlier events are written in each case.
 * @throws the signal's reason when it was aborted, SourcesFrozen, SourceGone, SourceFailure
 */
export async function writeEventsOf(
  writer: EventWriter,
  events: AsyncIterable<SourceEvent>,
  { signal, onRescan }: { signal: AbortSignal; onRescan?: () => void },
): Promise<PassEnd> {
  const told = events[Symbol.asyncIterator]()
  let failure: string | undefined
  try {
    for (;;) {
      const next = await nextOf(told, writer, signal)
      if (next.done) break
      const event = next.value
      if (event.event === 'failed') failure = event.message
      else if (event.event === 'rescan') onRescan?.()
      else if (event.event === 'pause') {
        await writer.flush()
        const { reason, frontier, retryAfterMs } = event
        return { status: 'paused', reason, frontier, retryAfterMs }
      } else await writer.add(event)
    }
    await writer.flush()
    return { status: 'complete', failure }
  } finally {
    // Not awaited: the kind may hang in a request.
    void told.return?.().catch(() => undefined)
  }
}

/** Returns the next event; flushes pending ones if the kind is slow. */
async function nextOf(
  told: AsyncIterator<SourceEvent>,
  writer: EventWriter,
  signal: AbortSignal,
): Promise<IteratorResult<SourceEvent>> {
  const next = told.next()
  if (writer.isOpen) {
    const idle = deferred<undefined>()
    const timer = setTimeout(idle.resolve, idleMs, undefined)
    const quick = await unlessAborted(Promise.race([next, idle.promise]), signal).finally(() =>
      clearTimeout(timer),
    )
    if (quick) return quick
    await writer.flush()
  }
  return unlessAborted(next, signal)
}
