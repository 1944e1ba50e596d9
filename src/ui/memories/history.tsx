import type { Reply } from '../../contract/api.js'
import { actorName } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { Command } from '../parts/command.js'
import { Failure } from '../parts/failure.js'
import { Time } from '../parts/time.js'

type Event = Reply<'GET /api/memory/:id/history'>['history'][number]

const words: Readonly<Record<Event['event'], string>> = {
  created: 'Saved',
  modified: 'Changed',
  deleted: 'Forgotten',
  recovered: 'Recovered',
  none: 'Reviewed, unchanged',
}

/** Events of a memory, newest first. */
export function History({ id }: { id: string }) {
  const history = useLoaded(
    signal => call('GET /api/memory/:id/history', { params: { id } }, { signal }),
    [id, changes.value],
  )
  if (history.error) return <Failure error={history.error} retry={history.reload} />
  return (
    <section class="stack" aria-label="History">
      <h2>History</h2>
      <ol class="plain-list lined">
        {history.value?.history.toReversed().map(event => (
          <li key={event.id}>
            <span class="line">
              <strong>{words[event.event]}</strong>
              <Time at={event.createdAt} />
              <span class="dim">
                by {actorName(event.changedBy)}
                {event.reason && `: ${event.reason}`}
              </span>
            </span>
            {event.oldContent !== null &&
              event.newContent !== null &&
              event.oldContent !== event.newContent && <p class="words dim">Before: {event.oldContent}</p>}
          </li>
        ))}
      </ol>
      {history.value?.nextOffset !== undefined && (
        <p class="dim">
          Full history: <Command text={`memory history ${id}`} />
        </p>
      )}
    </section>
  )
}
