import { useState } from 'preact/hooks'
import { harnessProducts } from '../../contract/ground/wire-names.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/confirm.js'
import { countText } from '../parts/count-text.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { runAndReport } from '../parts/run-and-report.js'
import { Time } from '../parts/time.js'
import { showMessage } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { EditTask } from './edit-task.js'
import { LiveRun } from './live-run.js'
import { Runs } from './runs.js'
import { NextTime } from './task-list.js'
import { isOpen, momentWords, type Task } from './task-words.js'

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
  const { prompt, cronExpression, harness, workingDirectory, skill, nextRunAt, enabled } = task
  return (
    <section class="card" aria-label="Task">
      <p class="words">{prompt}</p>
      <dl class="facts">
        <Fact title="Next run">
          <NextTime task={task} />
          {enabled && nextRunAt && <span class="dim"> {momentWords(nextRunAt)}</span>}
        </Fact>
        <Fact title="Schedule">
          <code>{cronExpression}</code>
        </Fact>
        <Fact title="Agent">{harnessProducts[harness]}</Fact>
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
        {harnessProducts[task.harness]} and all processes it started for “{task.name}” are stopped. Changes
        made so far remain.
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
