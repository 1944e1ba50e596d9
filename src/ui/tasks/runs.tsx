import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { LongText } from '../parts/long-text.js'
import { Time } from '../parts/time.js'
import { sayFailure } from '../parts/toast.js'
import { type Run, runTones, type Task, toldOutput } from './task-words.js'

const page = 20

/** Runs of a task, newest first, each with what it wrote. */
export function Runs({ task, newest }: { task: Task; newest: readonly Run[] }) {
  const [older, setOlder] = useState<readonly Run[]>([])
  const [isAll, setAll] = useState(newest.length < page)
  const known = new Set(newest.map(({ id }) => id))
  const runs = [...newest, ...older.filter(({ id }) => !known.has(id))]
  const more = () =>
    call('GET /api/tasks/:id/runs', {
      params: { id: task.id },
      query: { limit: page, offset: runs.length },
    }).then(reply => {
      setOlder([...older, ...reply.runs])
      setAll(runs.length + reply.runs.length >= reply.total)
    }, sayFailure)
  return (
    <section class="stack" aria-label="Runs">
      <h2>Runs</h2>
      {runs.length === 0 && <p class="dim">None yet: it runs at its time, or by hand.</p>}
      <ul class="plain-list lined">
        {runs.map(run => (
          <li key={run.id}>
            <Told run={run} />
          </li>
        ))}
      </ul>
      {!isAll && (
        <p>
          <button type="button" class="plain" onClick={more}>
            Show more
          </button>
        </p>
      )}
    </section>
  )
}

function Told({ run }: { run: Run }) {
  const { status, trigger, startedAt, createdAt, completedAt, exitCode, error, output, outputTruncated } = run
  const [isOpen, setOpen] = useState(false)
  const seconds =
    startedAt && completedAt
      ? Math.round((Date.parse(completedAt) - Date.parse(startedAt)) / 1000)
      : undefined
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <strong class={runTones[status]}>{status}</strong> <Time at={startedAt ?? createdAt} />{' '}
        <span class="dim">
          {trigger === 'manual' ? 'by hand' : trigger}
          {seconds !== undefined && `, ${seconds} s`}
          {exitCode !== null && exitCode !== 0 && `, exit code ${exitCode}`}
        </span>
        {error && <span class="words"> {error}</span>}
      </summary>
      {isOpen && (
        <>
          {outputTruncated && <p class="dim">The middle of it is left out.</p>}
          <LongText label="What it wrote" text={toldOutput(output) || 'It wrote nothing.'} />
        </>
      )}
    </details>
  )
}
