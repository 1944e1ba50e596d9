import { useState } from 'preact/hooks'
import { harnessProducts, taskHarness } from '../../contract/ground/wire-names.js'
import { labelOf } from '../../lib/text/labels.js'
import { cronWords } from '../../lib/time/cron-words.js'
import { call } from '../api/call.js'
import { changes, useFollowed, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { Check, Field, FolderField, Select } from '../parts/fields.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { showMessage } from '../parts/toast.js'
import { ShortId, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
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

const schedules = ['0 9 * * 1-5', '0 9 * * 1', '*/30 * * * *', '0 22 * * *', '0 8 1 * *']

type Fields = Record<'name' | 'prompt' | 'cronExpression' | 'workingDirectory' | 'skill', string> &
  Pick<Task, 'harness' | 'enabled'> & { acp: NonNullable<Task['acp']> }

const permissions = { all: 'Everything', read: 'Reading and searching', none: 'Nothing' }

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

function fieldsOf(task: Task | undefined): Fields {
  return {
    name: task?.name ?? '',
    prompt: task?.prompt ?? '',
    cronExpression: task?.cronExpression ?? '0 9 * * 1-5',
    harness: task?.harness ?? taskHarness.claudeCode,
    workingDirectory: task?.workingDirectory ?? '',
    skill: task?.skill?.name ?? '',
    acp: task?.acp ?? { command: '', permissions: 'all' },
    enabled: task?.enabled ?? true,
  }
}

/** Creates or edits a task. */
export function EditTask({ task, onClose }: { task?: Task; onClose: () => void }) {
  const [fields, setFields] = useState(() => fieldsOf(task))
  const act = async () => {
    const { workingDirectory, skill: name } = fields
    const skill = name.trim() === '' ? null : { mode: 'inject' as const, ...task?.skill, name: name.trim() }
    const acp = overAcp(fields) ? fields.acp : null
    const body = { ...fields, workingDirectory: workingDirectory.trim() || null, skill, acp }
    const reply = task
      ? await call('PATCH /api/tasks/:id', { params: { id: task.id }, body })
      : await call('POST /api/tasks', { body })
    changes.value++
    showMessage(task ? 'Saved. A current run is not affected.' : 'Added')
    navigate(addressOf('tasks', ['task', reply.task.id]))
  }
  return (
    <Confirm
      title={task ? 'Edit this task' : 'Add a task'}
      deed={task ? 'Save' : 'Add'}
      act={act}
      onClose={onClose}
      isReady={isReady(fields)}
      isMild
    >
      <TaskFields fields={fields} set={changed => setFields(before => ({ ...before, ...changed }))} />
    </Confirm>
  )
}

function overAcp({ harness }: Pick<Fields, 'harness'>): boolean {
  return harness === taskHarness.acp
}

function isReady(fields: Fields): boolean {
  const needed = [fields.name, fields.prompt, ...(overAcp(fields) ? [fields.acp.command] : [])]
  return needed.every(text => text.trim() !== '')
}

function TaskFields({ fields, set }: { fields: Fields; set: (changed: Partial<Fields>) => void }) {
  const skills = useLoaded(signal => call('GET /api/skills', {}, { signal }), [])
  return (
    <div class="stack">
      <Field label="Name" value={fields.name} onInput={name => set({ name })} required />
      <Field label="Prompt" rows={5} value={fields.prompt} onInput={prompt => set({ prompt })} required />
      <Field
        label="Schedule"
        value={fields.cronExpression}
        onInput={cronExpression => set({ cronExpression })}
        choices={schedules}
        required
        hint="Cron: minute, hour, day of month, month, day of week. 0 9 * * 1-5 is 9:00 on weekdays."
      />
      <Select
        label="Agent"
        value={fields.harness}
        options={harnessProducts}
        onChoose={harness => set({ harness })}
      />
      {overAcp(fields) && <AcpFields acp={fields.acp} set={acp => set({ acp })} />}
      <FolderField
        label="Working directory"
        value={fields.workingDirectory}
        onInput={workingDirectory => set({ workingDirectory })}
        hint="The full path on the machine of the daemon. Default: the workspace."
      />
      <Field
        label="Skill"
        value={fields.skill}
        onInput={skill => set({ skill })}
        choices={skills.value?.skills.map(({ name }) => name) ?? []}
        hint="Optional. Its instructions are added before the prompt."
      />
      <Check checked={fields.enabled} onChange={enabled => set({ enabled })}>
        Run on schedule
      </Check>
    </div>
  )
}

function AcpFields({ acp, set }: { acp: Fields['acp']; set: (acp: Fields['acp']) => void }) {
  return (
    <>
      <Field
        label="Command of the agent"
        value={acp.command}
        onInput={command => set({ ...acp, command })}
        choices={['gemini --experimental-acp', 'opencode acp', 'goose acp']}
        required
      />
      <Select
        label="Allowed when it asks"
        value={acp.permissions}
        options={permissions}
        onChoose={chosen => set({ ...acp, permissions: chosen })}
      />
    </>
  )
}
