import { useState } from 'preact/hooks'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { LongText } from '../parts/long-text.js'
import { Time } from '../parts/time.js'
import { showFailure } from '../parts/toast.js'
import { type Run, readableOutput, runTones, type Task } from './task-words.js'

const page = 20

/** Runs of a task with their output, newest first. */
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
    }, showFailure)
  return (
    <section class="stack" aria-label="Runs">
      <h2>Runs</h2>
      {runs.length === 0 && <p class="dim">No runs yet.</p>}
      <ul class="plain-list lined">
        {runs.map(run => (
          <li key={run.id}>
            <RunOutput run={run} />
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

function RunOutput({ run }: { run: Run }) {
  const { status, trigger, startedAt, createdAt, completedAt, exitCode, error, output, outputTruncated } = run
  const [isOpen, setOpen] = useState(false)
  const seconds =
    startedAt && completedAt
      ? Math.round((Date.parse(completedAt) - Date.parse(startedAt)) / 1000)
      : undefined
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <strong class={runTones[status]}>{labelOf('runStatus', status)}</strong>{' '}
        <Time at={startedAt ?? createdAt} />{' '}
        <span class="dim">
          {labelOf('runTrigger', trigger)}
          {seconds !== undefined && `, ${seconds} s`}
          {exitCode !== null && exitCode !== 0 && `, exit code ${exitCode}`}
        </span>
        {error && <span class="words"> {error}</span>}
      </summary>
      {isOpen && (
        <>
          {outputTruncated && <p class="dim">The middle of the output is omitted.</p>}
          <LongText label="Run output" text={readableOutput(output) || '(no output)'} />
        </>
      )}
    </details>
  )
}
