import { useState } from 'preact/hooks'
import { harnessProducts, taskHarness } from '../../contract/ground/wire-names.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/dialog.js'
import { Check, Field, FolderField, Select } from '../parts/fields.js'
import { showMessage } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import type { Task } from './task-words.js'

const schedules = ['0 9 * * 1-5', '0 9 * * 1', '*/30 * * * *', '0 22 * * *', '0 8 1 * *']

type Fields = Record<'name' | 'prompt' | 'cronExpression' | 'workingDirectory' | 'skill', string> &
  Pick<Task, 'harness' | 'enabled'> & { acp: NonNullable<Task['acp']> }

const permissions = { all: 'Everything', read: 'Reading and searching', none: 'Nothing' }

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
