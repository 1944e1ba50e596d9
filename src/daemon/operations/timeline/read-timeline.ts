import { AppError } from '../../../contract/ground/errors.js'
import type { TimelineEvent } from '../../../contract/operations/timeline.js'
import { quoted } from '../../../lib/text/clip.js'
import { entityEvents } from './entity-events.js'
import { memoryEvents } from './memory-events.js'
import { documentEvents, sourceEvents } from './reading-events.js'
import { sessionEvents } from './session-events.js'
import type { ReadEvents, TimelineDeps, TimelineSubject } from './subject.js'

/** Ids are no two kinds' at once, but a session's key is whatever its harness says: it comes last. */
const readers: readonly ReadEvents[] = [
  memoryEvents,
  documentEvents,
  sourceEvents,
  entityEvents,
  sessionEvents,
]

/** What happened to something, oldest first (timeline.md). @throws AppError `not_found`, `scope_violation` */
export async function readTimeline(deps: TimelineDeps, subject: TimelineSubject): Promise<TimelineEvent[]> {
  for (const read of readers) {
    const events = await read(deps, subject)
    // Where two are of one moment, what is told first stays first.
    if (events) return events.sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1))
  }
  throw new AppError(
    'not_found',
    `there is no memory, document, source, entity or session ${quoted(subject.id)} that you may see; memory list, documents list, sources list, ontology entities and sessions blackbox show ids`,
  )
}
