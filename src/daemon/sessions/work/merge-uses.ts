import { momentMark, type QueuedUse } from '../../../lib/files/tool-queue-files.js'
import type { SessionRow } from '../../../store/tables/sessions/sessions.js'
import { captureVerdict } from '../../ground/projects/capture-rules.js'
import { liveSessionCutoff } from '../../ground/sessions/session-key.js'
import type { LogMark, OpenTurns, QueuedPrompt } from '../../ground/sessions/tool-queue.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import type { HookSession } from '../tracker/enter-hook.js'
import { stepsOfUse } from './log-steps.js'
import { putWork } from './record-work.js'
import { shownPrompt, ToolLog } from './tool-log.js'

export type MergeDeps = Pick<
  Daemon,
  'store' | 'clock' | 'configuration' | 'projects' | 'toolQueues' | 'budget' | 'log'
>

/** A use without an id that ended this soon after the last line of a log is probably in it. */
const slackMs = 2000

/** Merges the queue every minute, and when settings change. */
export function createUseMerger(deps: MergeDeps): Worker {
  const work = createPeriodicWork({
    run: signal => mergeUses(deps, { signal, all: true }),
    onError: error => deps.log.warn({ err: error }, 'tools that hooks noted were not read'),
  })
  return {
    ...work,
    hear: event => {
      if (event !== 'embeddable') work.wake()
    },
  }
}

/** Notes a prompt between the uses of tools, so that each turn has its row. */
export async function queuePrompt(
  { toolQueues, clock }: Pick<Daemon, 'toolQueues' | 'clock'>,
  { name }: HookSession,
  prompt: string,
): Promise<void> {
  if (!name) return
  const line = { t: clock().getTime(), asked: shownPrompt(prompt) }
  await toolQueues.each(name.sessionKey, () => toolQueues.add(name.sessionKey, line)).catch(() => undefined)
}

/**
 * Stores the uses of tools that hooks noted, one row a turn, like those from logs. Sessions that the rules of
 * capture leave out by now are removed from the queue unread.
 * @param keys sessions, every one in the queue by default; `all` looks at those without new uses too, by
 * default for keys; `keeps` leaves the queue of a session that is over, since its log is about to continue it
 */
export async function mergeUses(
  deps: MergeDeps,
  {
    keys,
    all = keys !== undefined,
    keeps = false,
    signal,
  }: { keys?: readonly string[]; all?: boolean; keeps?: boolean; signal?: AbortSignal } = {},
): Promise<void> {
  if (isFrozen(deps)) return
  const { toolQueues, log } = deps
  for (const key of keys ?? (await toolQueues.keys())) {
    if (signal?.aborted) return
    // Most sessions of the queue have nothing new.
    if (!all && (await toolQueues.sizeOf(key)) <= toolQueues.openTurnsOf(key).offset) continue
    await toolQueues
      .each(key, async () => {
        try {
          await mergeSession(deps, key, keeps)
        } catch (error) {
          // Nothing of it may have been stored.
          toolQueues.readAgain(key)
          throw error
        }
      })
      .catch(error => log.warn({ err: error }, 'tools of a session that hooks noted were not read'))
  }
}

async function mergeSession(deps: MergeDeps, key: string, keeps: boolean): Promise<void> {
  const { toolQueues, store, configuration, clock } = deps
  const permit = await toolQueues.permitOf(key)
  if (!permit) return toolQueues.close(key)
  const { toolUse } = configuration().settings.capture
  const row = await store.tables.sessions.find(permit)
  if (toolUse === 'off' || !row || row.bypassed === 1 || !(await isCaptured(deps, permit.cwds[0], row)))
    return toolQueues.close(key)
  const open = toolQueues.openTurnsOf(key)
  const added = await toolQueues.readNew(key)
  for (const line of added)
    if ('log' in line) continueLog(open, line.log)
    else open.lines.push(line)
  if (added.length > 0) await storeTurns(deps, open, row, { toolUse, cwd: permit.cwds[0] })
  const isOver = row.ended_at !== null || row.seen_at <= liveSessionCutoff(clock())
  if (isOver && !keeps) await toolQueues.close(key)
}

async function isCaptured(
  { projects, configuration }: MergeDeps,
  cwd: string | undefined,
  { project, harness }: SessionRow,
): Promise<boolean> {
  const asked = { cwd, project, harness, isHere: true }
  return (await captureVerdict(projects, configuration().settings.capture, asked)).isCaptured
}

/** The log of the agent has all until its end; only what came later is left. */
function continueLog(open: OpenTurns, log: LogMark['log']): void {
  open.mark = log
  open.turn = log.last ? log.turns - 1 : log.turns
  open.lines = open.lines.filter(line => isLater(line, log))
}

function isLater(line: QueuedUse | QueuedPrompt, { until }: LogMark['log']): boolean {
  const isNamed = 'asked' in line || (line.id !== undefined && !line.id.startsWith(momentMark))
  return line.t > until + (isNamed ? 0 : slackMs)
}

async function storeTurns(
  { store, budget, clock }: MergeDeps,
  open: OpenTurns,
  row: SessionRow,
  { toolUse, cwd }: { toolUse: 'names' | 'full'; cwd: string | undefined },
): Promise<void> {
  const log = new ToolLog(cwd)
  if (open.mark) log.goOn(open.mark)
  // Turns that are over do not change any more, so that their lines are not read again.
  let last = { turns: 0, line: 0 }
  for (const [n, line] of open.lines.entries()) {
    await budget.breathe()
    const before = log.turns.length
    if ('tool' in line) log.takeSteps(stepsOfUse({ cwd, ...line }, row.harness, n))
    else {
      const at = new Date(line.t).toISOString()
      log.takeSteps([{ kind: 'asked', text: line.asked, at, id: undefined }])
      if (log.turns.length > before) last = { turns: before, line: n }
    }
  }
  const session = { ...row, captured_at: clock().toISOString() }
  await store.write({ until: 'committed', rows: log.turns.length }, tables =>
    putWork(tables, log.turns, session, toolUse, open.turn),
  )
  if (last.turns === 0) return
  open.lines = open.lines.slice(last.line)
  open.turn += last.turns
  if (!open.mark) return
  const { last: _, ...mark } = open.mark
  open.mark = mark
}
