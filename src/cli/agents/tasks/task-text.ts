import type { Reply } from '../../../contract/api.js'
import { labelOf } from '../../../lib/text/labels.js'
import { shortId } from '../../../lib/text/uuid.js'
import { formatAge, formatShortAge } from '../../../lib/time/age.js'
import { cronWords } from '../../../lib/time/cron-words.js'
import { type Colors, formatDuration, formatFields, formatTable } from '../../terminal/output.js'
import { clipText, plainLine } from '../../terminal/text.js'
import { startedBy } from './harness-program.js'

export type Task = Reply<'GET /api/tasks'>['tasks'][number]
export type TaskRun = Reply<'GET /api/tasks/:id'>['runs'][number]

interface View {
  colors: Colors
  /** Milliseconds since the epoch. */
  now: number
}

/** Maximum width of a name in a table. */
const nameWidth = 30

/**
 * Formats tasks as a table. `tabs` gives tab-separated fields for pipes: id,
 * on or off, schedule, agent, next, last, name.
 */
export function taskTable(tasks: readonly Task[], { colors, now, tabs }: View & { tabs: boolean }): string {
  if (tabs) return tasks.map(taskTabs).join('\n')
  const rows = tasks.map(task => [
    shortId(task.id),
    clipText(plainLine(task.name), nameWidth),
    task.cronExpression,
    startedBy(task).program,
    nextText(task, now),
    lastText(task, { colors, now }),
  ])
  const headings = ['ID', 'NAME', 'SCHEDULE', 'AGENT', 'NEXT', 'LAST']
  return formatTable(headings, rows, colors)
}

function taskTabs(task: Task): string {
  const { id, enabled, cronExpression, nextRunAt, lastRunStatus, name } = task
  const state = enabled ? 'on' : 'off'
  return [id, state, cronExpression, startedBy(task).program, nextRunAt ?? '-', lastRunStatus ?? '-', name]
    .map(plainLine)
    .join('\t')
}

/** Formats the next time of a task: `in 5 h`, `now`, `off`. */
export function nextText({ enabled, nextRunAt }: Task, now: number): string {
  if (!enabled) return 'off'
  if (nextRunAt === null) return 'never'
  const age = formatShortAge(nextRunAt, now)
  return age === 'now' || Date.parse(nextRunAt) < now ? 'now' : `in ${age}`
}

/** Formats the state of its newest run: `completed 3 h`, `running`. */
export function lastText({ lastRunStatus, lastRunAt }: Task, { colors, now }: View): string {
  if (lastRunStatus === null) return colors.dim('-')
  const age = lastRunAt === null || isOpen(lastRunStatus) ? '' : ` ${formatShortAge(lastRunAt, now)}`
  return statusText(lastRunStatus, colors) + age
}

/** Returns true if a run has not ended. */
export function isOpen(status: TaskRun['status']): boolean {
  return status === 'pending' || status === 'running'
}

/** Colours a status. */
export function statusText(status: TaskRun['status'], colors: Colors): string {
  const label = labelOf('runStatus', status)
  if (status === 'completed') return colors.green(label)
  return isOpen(status) ? colors.cyan(label) : colors.red(label)
}

/** The schedule in words where it has them, with its five fields. */
function scheduleText({ cronExpression }: Task): string {
  const words = cronWords(cronExpression)
  return words === cronExpression ? words : `${words} (${cronExpression})`
}

/** Formats all fields of one task with its runs below. @param columns width of the terminal. */
export function taskFields(
  { task, runs }: { task: Task; runs: readonly TaskRun[] },
  { colors, now, columns }: View & { columns: number },
): string {
  const { product, program } = startedBy(task)
  const agent = task.acp
    ? `${plainLine(task.acp.command)} (ACP, permissions: ${task.acp.permissions})`
    : `${product} (${program})`
  const skill = task.skill ? [['skill', `${plainLine(task.skill.name)} (${task.skill.mode})`] as const] : []
  const fields = formatFields(
    [
      ['name', plainLine(task.name)],
      ['id', task.id],
      ['schedule', scheduleText(task)],
      ['next', nextText(task, now)],
      ['agent', agent],
      ['folder', plainLine(task.workingDirectory ?? 'the workspace')],
      ...skill,
      ['prompt', plainLine(task.prompt)],
    ],
    colors,
    columns,
  )
  return [fields, '', runs.length === 0 ? 'No runs yet.' : runTable(runs, { colors, now })].join('\n')
}

function runTable(runs: readonly TaskRun[], { colors, now }: View): string {
  const rows = runs.map(run => [
    formatAge(run.startedAt ?? run.createdAt, now),
    labelOf('runTrigger', run.trigger),
    tookText(run, now),
    run.id,
    statusText(run.status, colors) + (run.error === null ? '' : `: ${plainLine(run.error)}`),
  ])
  return formatTable(['STARTED', 'TRIGGER', 'DURATION', 'ID', 'STATUS'], rows, colors)
}

function tookText({ startedAt, completedAt }: TaskRun, now: number): string {
  if (startedAt === null) return '-'
  const end = completedAt === null ? now : Date.parse(completedAt)
  return formatDuration((end - Date.parse(startedAt)) / 1000)
}

/** Describes the end of a run in one line. */
export function endText(
  run: Pick<TaskRun, 'status' | 'error' | 'startedAt' | 'completedAt'>,
  colors: Colors,
): string {
  const took = run.startedAt && run.completedAt ? ` after ${tookText(run as TaskRun, 0)}` : ''
  const why = run.error === null ? '' : `: ${plainLine(run.error)}`
  return `${statusText(run.status, colors)}${took}${why}`
}
