import { join } from 'node:path'
import { maxLiveMessages } from '../../../../contract/agents/messages.js'
import type { PluginRecord } from '../../../../contract/agents/plugins.js'
import type { SkillList } from '../../../../contract/agents/skills.js'
import { cancelledByCaller } from '../../../../contract/ground/wire-names.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { label, oneLine } from '../../../../lib/text/one-line.js'
import { formatProblem } from '../../../../lib/workspace/settings-file.js'
import type { TaskRow, TaskRunRow } from '../../../../store/tables/agents/tasks.js'
import { recordOf } from '../../../agents/plugins/plugin-record.js'
import { listSkills } from '../../../agents/skills/read-skills.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { type DiagnosticsInput, finding, fine } from '../findings/finding.js'

/** Used share of the inboxes' capacity that triggers a warning. */
const nearlyFull = 0.9
/** Maximum number of faults listed by name; the others are counted. */
const mostNamed = 5
/** Consecutive failures that indicate a persistent problem. */
const failuresInRow = 3
/** Maximum number of tasks that are examined. */
const mostTasks = 200

/** Findings about settings and plugins; a confined caller gets none, since they name files. */
export function settingsFindings({ daemon, confined }: DiagnosticsInput) {
  return confined ? [] : [settingsFinding(daemon.configuration().problems.map(formatProblem))]
}

export async function pluginFindings({ daemon, confined }: DiagnosticsInput) {
  if (confined) return []
  return [pluginFinding(daemon.plugins.list().map(plugin => recordOf(daemon, plugin)))]
}

/** Findings about tasks, messages and skills; a confined caller gets none: they name other agents' work. */
export async function agentFindings({ daemon, confined, now }: DiagnosticsInput) {
  if (confined) return []
  const { messages } = daemon.store.tables
  return [
    skillFinding(await listSkills(daemon), daemon.paths.skills),
    messageFinding(await messages.countLive(now.toISOString()), maxLiveMessages),
    await tasksFinding(daemon),
  ]
}

/** Settings of agent.yaml that the daemon does not use. */
export function settingsFinding(problems: readonly string[]) {
  const id = 'settings-in-use'
  if (problems.length === 0) return fine(id, 'all settings of agent.yaml are in use')
  return finding({
    id,
    severity: 'warning',
    evidence: `agent.yaml has settings that are not in use: ${problems.map(one => oneLine(one, 300)).join('; ')}`,
    fix: 'memory git settings decides about settings that wait; memory config edit corrects others',
  })
}

type ShownPlugin = Pick<
  PluginRecord,
  'id' | 'state' | 'reason' | 'enabled' | 'bundled' | 'pendingCapabilities'
>

/** Plugins that malfunction or wait for a decision. */
export function pluginFinding(plugins: readonly ShownPlugin[]) {
  const id = 'plugins'
  const broken = plugins.filter(({ state }) => state === 'blocked' || state === 'degraded')
  const [first] = broken
  if (first) {
    const evidence = broken.map(one => `${one.id} is ${one.state}: ${one.reason}`).join('; ')
    return finding({ id, severity: 'warning', evidence, fix: remedyFor(first) })
  }
  const waiting = plugins.find(
    ({ enabled, pendingCapabilities }) => enabled && pendingCapabilities.length > 0,
  )
  if (waiting) {
    const evidence = `${waiting.id} waits for your permission: ${waiting.pendingCapabilities.join(', ')}`
    return finding({ id, severity: 'info', evidence, fix: `memory plugins show ${waiting.id}` })
  }
  return fine(id, plugins.map(one => `${one.id} is ${one.state}`).join(', '))
}

/** A bundled plugin always has a valid manifest; if it is blocked, it waits for a new decision. */
function remedyFor({ id, bundled, state }: ShownPlugin): string {
  if (bundled && state === 'blocked') return `memory plugins enable ${id} (or disable ${id})`
  return `memory plugins show ${id}`
}

type ShownSkills = {
  skills: readonly Pick<SkillList['skills'][number], 'name' | 'problems' | 'path'>[]
  skipped: SkillList['skipped']
}

/**
 * Skills with a broken SKILL.md: agents omit such a skill or do not know when to use it (skills.md 2).
 * Folders that are not skills are reported as information.
 */
export function skillFinding({ skills, skipped }: ShownSkills, folder: string) {
  const id = 'skills'
  const broken = skills.filter(({ problems }) => problems.length > 0)
  const [first] = broken
  if (first)
    return finding({
      id,
      severity: 'warning',
      evidence: named(
        broken.map(({ name, problems }) => `${label(name)}: ${label(problems.join('; '), 200)}`),
      ),
      fix: `edit ${join(first.path, 'SKILL.md')}`,
    })
  const installed = skills.length === 0 ? 'none installed' : countOf(skills.length, 'skill')
  if (skipped.length === 0) return fine(id, installed)
  const folders = named(skipped.map(({ name, reason }) => `${label(name)}: ${reason}`))
  return finding({
    id,
    severity: 'info',
    evidence: `${installed}; folders in ${folder} that are not skills: ${folders}`,
  })
}

function named(faults: readonly string[]): string {
  const more = faults.length - mostNamed
  return [...faults.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

/**
 * The fill of the inboxes. A full inbox drops acknowledged messages for a new one, and rejects it if all are
 * unread; then an agent does not read its messages.
 */
export function messageFinding(live: number, limit: number) {
  const id = 'messages'
  const evidence = `${live} of ${limit} messages stored`
  if (live < limit * nearlyFull) return fine(id, evidence)
  return finding({
    id,
    severity: 'warning',
    evidence: `${evidence}: when full, new messages are refused until some are acknowledged or expire`,
    fix: 'acknowledge messages (memory messages inbox --agent NAME, then memory messages ack ID); they expire after seven days',
  })
}

async function tasksFinding({ store }: Pick<Daemon, 'store'>) {
  const { tasks, taskRuns } = store.tables
  const rows = await tasks.page('', mostTasks)
  return taskFinding(rows, id => taskRuns.page(id, { limit: failuresInRow, offset: 0 }))
}

type ShownTask = Pick<TaskRow, 'id' | 'name' | 'enabled' | 'last_run_status'>

/** An enabled task that failed its last runs. @param newestRuns the last `failuresInRow` runs of a task */
export async function taskFinding(
  tasks: readonly ShownTask[],
  newestRuns: (id: string) => Promise<readonly Pick<TaskRunRow, 'status' | 'error'>[]>,
) {
  const id = 'tasks'
  const enabled = tasks.filter(task => task.enabled === 1)
  for (const { id: task, name, last_run_status: status } of enabled) {
    if (status !== 'failed' && status !== 'timeout') continue
    // A run that the user cancelled is not a failure.
    const failed = (await newestRuns(task)).filter(
      run => run.status === 'timeout' || (run.status === 'failed' && run.error !== cancelledByCaller),
    )
    if (failed.length < failuresInRow) continue
    return finding({
      id,
      severity: 'warning',
      evidence: `"${oneLine(name, 100)}" failed its last ${failuresInRow} runs: ${oneLine(failed[0]?.error ?? 'no error message', 300)}`,
      fix: `memory tasks logs ${task}`,
    })
  }
  return fine(id, `${countOf(tasks.length, 'task')}, ${enabled.length} enabled`)
}
