import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { temporaryWorkspace } from '../daemon/workspace.js'

export interface TasksSuiteResult {
  minutes: number
  /** One-minute load average before and after. */
  load: [number, number]
  /** One row for each number of enabled tasks, over the same minutes. */
  idle: { tasks: number; cpuMs: number }[]
}

/** After a start the daemon compiles code, writes the index and checks for due tasks. */
const settleMs = 30_000
/** Share of one core above which a daemon is not idle (tasks.md 8). */
const allowed = 0.01

/**
 * Measures processor time of a daemon with a thousand enabled tasks, none due, beside one without tasks at
 * the same time.
 * @throws Error when it exceeds a hundredth of a core
 */
export async function runTasksSuite({ minutes = 5 }: { minutes?: number } = {}): Promise<TasksSuiteResult> {
  const before = loadavg()[0] as number
  const counts = [1000, 0]
  const measured = await Promise.all(
    counts.map(async tasks => {
      const workspace = temporaryWorkspace()
      const daemon = await startMeasuredDaemon(workspace.folder, { PROBE_LOOP: 'off' })
      try {
        return { tasks, cpuMs: await idleCost(daemon, tasks, minutes * 60_000) }
      } finally {
        await daemon.stop()
        workspace.remove()
      }
    }),
  )
  for (const { tasks, cpuMs } of measured)
    if (cpuMs > allowed * minutes * 60_000)
      throw new Error(`${tasks} idle tasks used ${cpuMs.toFixed(0)} ms of CPU time`)
  return { minutes, load: [before, loadavg()[0] as number], idle: measured }
}

async function idleCost(daemon: MeasuredDaemon, tasks: number, ms: number): Promise<number> {
  for (let n = 0; n < tasks; n++) await add(daemon, n)
  await delay(settleMs)
  const { cpuMs } = await daemon.load()
  await delay(ms)
  return (await daemon.load()).cpuMs - cpuMs
}

/** Adds a daily task at an hour that does not come during the measurement. */
async function add(daemon: MeasuredDaemon, n: number): Promise<void> {
  const hour = (new Date().getHours() + 3 + (n % 18)) % 24
  const { status, body } = await daemon.ask('POST', '/api/tasks', {
    name: `task ${n}`,
    prompt: `summarise what happened in project ${n}`,
    cronExpression: `${n % 60} ${hour} * * *`,
    harness: 'harness_a',
  })
  if (status !== 201) throw new Error(`answered ${status}: ${body.error}`)
}

export function formatTasksSuite({ minutes, load, idle }: TasksSuiteResult): string {
  const rows = idle.map(
    ({ tasks, cpuMs }) =>
      `| ${tasks.toLocaleString('en')} | ${cpuMs.toFixed(0)} ms | ${((cpuMs / (minutes * 60_000)) * 100).toFixed(3)} % |`,
  )
  return [
    `| enabled tasks, none due | processor in ${minutes} min | of a core |`,
    '|--:|--:|--:|',
    ...rows,
    '',
    `Load ${load.map(one => one.toFixed(1)).join(' to ')}.`,
  ].join('\n')
}
