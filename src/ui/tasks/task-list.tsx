import { useState } from 'preact/hooks'
import { harnessProducts } from '../../contract/ground/wire-names.js'
import { labelOf } from '../../lib/text/labels.js'
import { cronWords } from '../../lib/time/cron-words.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useFollowed } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { Time } from '../parts/time.js'
import { ShortId } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { EditTask } from './edit-task.js'
import { isOpen, runTones, type Task } from './task-words.js'

const columns: readonly Column<Task>[] = [
  { title: 'Task', width: 'minmax(0, 1fr)', cell: ({ name }) => name },
  {
    title: 'Schedule',
    width: '11rem',
    wide: true,
    cell: ({ cronExpression }) => <span title={cronExpression}>{cronWords(cronExpression)}</span>,
  },
  {
    title: 'Agent',
    width: '8rem',
    wide: true,
    cell: ({ harness, acp }) => <span class="dim">{acp?.command ?? harnessProducts[harness]}</span>,
  },
  { title: 'Next run', width: '10rem', cell: task => <NextTime task={task} /> },
  { title: 'Last run', width: '13rem', wide: true, cell: task => <LastRun task={task} /> },
  { title: 'Id', width: '7rem', wide: true, cell: ({ id }) => <ShortId id={id} /> },
]

export function NextTime({ task: { enabled, nextRunAt } }: { task: Task }) {
  if (!enabled) return <span class="dim">disabled</span>
  return nextRunAt === null ? <span class="dim">never</span> : <Time at={nextRunAt} />
}

function LastRun({ task: { lastRunStatus: status, lastRunAt } }: { task: Task }) {
  if (status === null) return <span class="dim">no runs yet</span>
  return (
    <>
      <span class={runTones[status]}>{labelOf('runStatus', status)}</span>{' '}
      {!isOpen(status) && (
        <span class="dim">
          <Time at={lastRunAt} />
        </span>
      )}
    </>
  )
}

/** Tasks with their next time. */
export function TaskList() {
  const [isAdding, setAdding] = useState(false)
  const loaded = useFollowed(
    signal => call('GET /api/tasks', {}, { signal }),
    [changes.value],
    ({ tasks }) => tasks.some(({ lastRunStatus }) => isOpen(lastRunStatus)),
  )
  const tasks = loaded.value?.tasks
  const add = may('admin') && (
    <p>
      <button type="button" onClick={() => setAdding(true)}>
        Add a task…
      </button>
    </p>
  )
  return (
    <>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {!tasks && !loaded.error && <Loading />}
      {tasks?.length === 0 ? (
        <Empty title="No tasks yet">
          <p>A task runs a prompt in a coding agent on a schedule, such as a summary each morning.</p>
          {add}
        </Empty>
      ) : (
        add
      )}
      {tasks && tasks.length > 0 && (
        <VirtualTable
          label="Tasks"
          columns={columns}
          count={tasks.length}
          rowAt={position => tasks[position]}
          keyOf={({ id }) => id}
          onOpen={({ id }) => navigate(addressOf('tasks', ['task', id]))}
        />
      )}
      {isAdding && <EditTask onClose={() => setAdding(false)} />}
    </>
  )
}
