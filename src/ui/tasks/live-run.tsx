import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { listen } from '../api/events.js'
import { Check } from '../parts/fields/field.js'
import { LongText } from '../parts/long-text.js'
import { Time } from '../parts/time.js'
import { readableOutput, runTones } from './task-words.js'

type TaskEvent = Reply<'GET /api/tasks/:id/stream'>
type Run = Extract<TaskEvent, { type: 'run-started' }>['run']

interface FollowedRun {
  run: Run
  output: string
  /**
   * True if output was omitted in the middle, because this reader was too slow or the output is too long for
   * a page.
   */
  isCut: boolean
}

/** Maximum length of the shown output, in UTF-16 units. */
const maxShown = 200_000

/** The live output of the task. */
export function LiveRun({ taskId, onChange }: { taskId: string; onChange: () => void }) {
  const { followed, isLost } = useRun(taskId, onChange)
  const [isRaw, setRaw] = useState(false)
  const shown = followed && (isRaw ? followed.output : readableOutput(followed.output))
  if (!followed && !isLost) return null
  return (
    <section class="card" aria-label="Run">
      <p class="line" role="status">
        <strong>{followed?.run.completedAt ? 'Last run' : 'Current run'}</strong>
        {followed && (
          <span class={runTones[followed.run.status]}>{labelOf('runStatus', followed.run.status)}</span>
        )}
        {followed && (
          <span class="dim">
            started <Time at={followed.run.startedAt ?? followed.run.createdAt} />
          </span>
        )}
        {isLost && <span class="bad">Connection lost. Reconnecting…</span>}
      </p>
      {followed?.run.error && <p class="bad words">{followed.run.error}</p>}
      {followed?.isCut && <p class="dim">The beginning is omitted.</p>}
      {followed && (
        <>
          <LongText label="Output" text={shown ?? ''} followsEnd />
          <Check checked={isRaw} onChange={setRaw}>
            Raw output
          </Check>
        </>
      )}
    </section>
  )
}

/** Follows the runs of a task until the page is left; after a reconnect the whole output is sent again. */
function useRun(taskId: string, onChange: () => void) {
  const [followed, setFollowed] = useState<FollowedRun>()
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    const left = new AbortController()
    const onEvent = (data: unknown): void => {
      const event = data as TaskEvent
      if (event.type === 'connected') return
      setFollowed(before => next(before, event))
      if (event.type !== 'run-output') onChange()
    }
    const handlers = { onEvent, onState: (state: string) => setLost(state === 'lost') }
    void listen('GET /api/tasks/:id/stream', { params: { id: taskId } }, handlers, left.signal)
    return () => left.abort()
  }, [taskId, onChange])
  return { followed, isLost }
}

function next(before: FollowedRun | undefined, event: Exclude<TaskEvent, { type: 'connected' }>) {
  if (event.type === 'run-started') return { run: event.run, output: '', isCut: false }
  if (event.type === 'run-completed')
    return { output: '', isCut: false, ...(before?.run.id === event.run.id && before), run: event.run }
  if (before?.run.id !== event.runId) return before
  const output = before.output + event.data
  return { ...before, output: output.slice(-maxShown), isCut: before.isCut || output.length > maxShown }
}
