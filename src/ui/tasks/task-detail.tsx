import { useState } from 'preact/hooks'
import { harnessProducts } from '../../contract/ground/wire-names.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/confirm.js'
import { doNow } from '../parts/do-now.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { Time } from '../parts/time.js'
import { say } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'
import { go } from '../routing/router.js'
import { EditTask } from './edit-task.js'
import { LiveRun } from './live-run.js'
import { Runs } from './runs.js'
import { Next } from './task-list.js'
import { isOpen, momentWords, type Task } from './task-words.js'

/** One task: when it runs, what it does now as it does it, and its runs. */
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
            {may('admin') && <Deeds task={value.task} onDone={loaded.reload} />}
          </div>
          <Told task={value.task} />
          <LiveRun taskId={id} onChange={loaded.reload} />
          <Runs task={value.task} newest={value.runs} />
        </>
      )}
    </>
  )
}

function Told({ task }: { task: Task }) {
  const { prompt, cronExpression, harness, workingDirectory, skill, nextRunAt, enabled } = task
  return (
    <section class="card" aria-label="Task">
      <p class="words">{prompt}</p>
      <dl class="facts">
        <Fact title="Next run">
          <Next task={task} />
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

type Asked = 'edit' | 'stop' | 'remove'

function Deeds({ task, onDone }: { task: Task; onDone: () => void }) {
  const [asked, setAsked] = useState<Asked>()
  const end = () => setAsked(undefined)
  const params = { id: task.id }
  const run = () => doNow(() => call('POST /api/tasks/:id/run', { params }), 'It runs', onDone)
  const turn = () =>
    doNow(
      () => call('PATCH /api/tasks/:id', { params, body: { enabled: !task.enabled } }),
      task.enabled ? 'Switched off' : 'Switched on',
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
        Change…
      </button>
      <button type="button" class="plain" onClick={turn}>
        {task.enabled ? 'Switch off' : 'Switch on'}
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
    say('Its run has ended')
    onDone()
  }
  return (
    <Confirm title="Stop this run?" deed="Stop it" act={act} onClose={onClose}>
      <p class="words">
        {harnessProducts[task.harness]} and everything that it started for “{task.name}” is ended. What it did
        so far stays as it is.
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
    say('Removed')
    go(addressOf('tasks'))
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
        “{task.name}” goes with {runs.value?.total.toLocaleString() ?? '…'} runs and what they wrote
        {isOpen(task.lastRunStatus) && '; the one that is under way is ended'}. This can’t be undone.
      </p>
    </Confirm>
  )
}
