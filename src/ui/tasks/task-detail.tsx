import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { harnessProducts } from '../../contract/ground/wire-names.js'
import { labelOf } from '../../lib/text/labels.js'
import { cronWords } from '../../lib/time/cron-words.js'
import { call } from '../api/call.js'
import { listen } from '../api/events.js'
import { changes, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { Check } from '../parts/fields.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { runAndReport, showFailure, showMessage } from '../parts/toast.js'
import { countText, Fact, LongText, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { EditTask, NextTime } from './task-list.js'
import { isOpen, momentWords, type Run, readableOutput, runTones, type Task } from './task-words.js'

type TaskEvent = Reply<'GET /api/tasks/:id/stream'>
type StartedRun = Extract<TaskEvent, { type: 'run-started' }>['run']

interface FollowedRun {
  run: StartedRun
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
function LiveRun({ taskId, onChange }: { taskId: string; onChange: () => void }) {
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

const page = 20

/** Runs of a task with their output, newest first. */
function Runs({ task, newest }: { task: Task; newest: readonly Run[] }) {
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

/** One task: its schedule, its live output and its runs. */
export function TaskDetail({ id }: { id: string }) {
  const loaded = useLoaded(
    signal => call('GET /api/tasks/:id', { params: { id } }, { signal }),
    [id, changes.value],
  )
  const { value, error } = loaded
  return (
    <>
      {error && <Failure error={error} retry={loaded.reload} />}
      {!value && !error && <Loading />}
      {value && (
        <>
          <div class="head-line">
            <h2 class="words">{value.task.name}</h2>
            {may('admin') && <TaskActions task={value.task} onDone={loaded.reload} />}
          </div>
          <TaskFacts task={value.task} />
          <LiveRun taskId={id} onChange={loaded.reload} />
          <Runs task={value.task} newest={value.runs} />
        </>
      )}
    </>
  )
}

function TaskFacts({ task }: { task: Task }) {
  const { prompt, cronExpression, harness, acp, workingDirectory, skill, nextRunAt, enabled } = task
  return (
    <section class="card" aria-label="Task">
      <p class="words">{prompt}</p>
      <dl class="facts">
        <Fact title="Next run">
          <NextTime task={task} />
          {enabled && nextRunAt && <span class="dim"> {momentWords(nextRunAt)}</span>}
        </Fact>
        <Fact title="Schedule">
          {cronWords(cronExpression)} <code class="dim">{cronExpression}</code>
        </Fact>
        <Fact title="Agent">{acp ? <code>{acp.command}</code> : harnessProducts[harness]}</Fact>
        <Fact title="Folder">{workingDirectory ?? 'the workspace'}</Fact>
        {skill && <Fact title="Skill">{skill.name}</Fact>}
        <Fact title="Changed">
          <Time at={task.updatedAt} />
        </Fact>
      </dl>
    </section>
  )
}

type DialogName = 'edit' | 'stop' | 'remove'

function TaskActions({ task, onDone }: { task: Task; onDone: () => void }) {
  const [asked, setAsked] = useState<DialogName>()
  const end = () => setAsked(undefined)
  const params = { id: task.id }
  const run = () => runAndReport(() => call('POST /api/tasks/:id/run', { params }), 'Run started', onDone)
  const turn = () =>
    runAndReport(
      () => call('PATCH /api/tasks/:id', { params, body: { enabled: !task.enabled } }),
      task.enabled ? 'Disabled' : 'Enabled',
      onDone,
    )
  return (
    <p class="line">
      {isOpen(task.lastRunStatus) ? (
        <button type="button" class="danger" onClick={() => setAsked('stop')}>
          Stop…
        </button>
      ) : (
        <button type="button" onClick={run}>
          Run now
        </button>
      )}
      <button type="button" class="plain" onClick={() => setAsked('edit')}>
        Edit…
      </button>
      <button type="button" class="plain" onClick={turn}>
        {task.enabled ? 'Disable' : 'Enable'}
      </button>
      <button type="button" class="plain" onClick={() => setAsked('remove')}>
        Remove…
      </button>
      {asked === 'edit' && <EditTask task={task} onClose={end} />}
      {asked === 'stop' && <Stop task={task} onClose={end} onDone={onDone} />}
      {asked === 'remove' && <Remove task={task} onClose={end} />}
    </p>
  )
}

function Stop({ task, onClose, onDone }: { task: Task; onClose: () => void; onDone: () => void }) {
  const act = async () => {
    await call('POST /api/tasks/:id/cancel', { params: { id: task.id } })
    showMessage('Run stopped')
    onDone()
  }
  return (
    <Confirm title="Stop this run?" deed="Stop" act={act} onClose={onClose}>
      <p class="words">
        {task.acp?.command ?? harnessProducts[task.harness]} and all processes it started for “{task.name}”
        are stopped. Changes made so far remain.
      </p>
    </Confirm>
  )
}

function Remove({ task, onClose }: { task: Task; onClose: () => void }) {
  const runs = useLoaded(
    signal => call('GET /api/tasks/:id/runs', { params: { id: task.id }, query: { limit: 1 } }, { signal }),
    [task.id],
  )
  const act = async () => {
    await call('DELETE /api/tasks/:id', { params: { id: task.id } })
    changes.value++
    showMessage(`${task.name} removed`)
    navigate(addressOf('tasks'))
  }
  return (
    <Confirm
      title="Remove this task?"
      deed="Remove"
      act={act}
      onClose={onClose}
      isReady={runs.value !== undefined}
    >
      <p class="words">
        “{task.name}” is deleted with {runs.value ? countText(runs.value.total, 'run') : '… runs'} and their
        output.
        {isOpen(task.lastRunStatus) && ' The current run is stopped.'} This cannot be undone.
      </p>
    </Confirm>
  )
}
