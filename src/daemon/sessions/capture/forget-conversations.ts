import { rm } from 'node:fs/promises'
import { jsonOf } from '../../../lib/text/json-of.js'
import { dropLines } from '../../../store/files/line-file.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { recordFiles } from '../transcripts/transcript-message.js'
import { truncateHalfWritten } from './capture-worker.js'
import { removeBody } from './remove-body.js'

/** Receipts and transcripts handled together. */
const batch = 50

type Deps = Pick<Daemon, 'store' | 'paths' | 'transcriptIndex' | 'capturing' | 'budget'>

/**
 * Permanently deletes every conversation of an agent: lines in harness records, receipts with pending
 * captures, and transcripts with their index entries. A running capture ends first, and none starts during
 * the call. Each step may be repeated.
 * @param betweenSteps called between steps; an error it throws ends the work.
 */
export function forgetConversations(
  deps: Deps,
  agentId: string,
  betweenSteps: () => Promise<void>,
): Promise<void> {
  return deps.capturing(async () => {
    await truncateHalfWritten(deps)
    await dropRecords(deps, agentId)
    await dropReceipts(deps, agentId, betweenSteps)
    const { transcripts } = deps.store.tables
    for (let rows = await transcripts.ofAgent(agentId, batch); rows.length > 0; ) {
      for (const row of rows) {
        await removeBody(deps, row.body_id)
        await transcripts.drop(row)
        await betweenSteps()
      }
      rows = await transcripts.ofAgent(agentId, batch)
    }
  })
}

/**
 * Removes an agent's sessions from harness records, while no capture runs.
 * @param sessionKeys only these sessions; all when absent.
 */
export async function dropRecords(
  deps: Pick<Deps, 'paths' | 'budget'>,
  agentId: string,
  sessionKeys?: ReadonlySet<string>,
): Promise<void> {
  const name = JSON.stringify(agentId)
  const isDropped = (line: string): boolean => {
    // Skips parsing most lines of other agents.
    if (!line.includes(name)) return false
    const said = jsonOf(line) as { agentId?: unknown; sessionKey?: unknown } | null | undefined
    return said?.agentId === agentId && (sessionKeys?.has(String(said.sessionKey)) ?? true)
  }
  for (const file of await recordFiles(deps)) await dropLines(file, isDropped, () => deps.budget.breathe())
}

async function dropReceipts(deps: Deps, agentId: string, betweenSteps: () => Promise<void>): Promise<void> {
  const { transcriptCaptures } = deps.store.tables
  for (;;) {
    const rows = await transcriptCaptures.ofAgent(agentId, batch)
    if (rows.length === 0) return
    for (const row of rows) await dropStaged(deps, row)
    const ids = rows.map(({ id }) => id)
    await deps.store.transaction(async tables => {
      await tables.jobs.dropOf(ids)
      await tables.transcriptCaptures.drop(ids)
    })
    await betweenSteps()
  }
}

/** Removes data of an unfinished capture: its inline file and bodies that are not visible. */
async function dropStaged(deps: Deps, { source, path, body_id, stale_body_id }: CaptureRow): Promise<void> {
  if (source === 'inline') await rm(path, { force: true, maxRetries: 5 })
  for (const body of [body_id, stale_body_id]) if (body !== null) await removeBody(deps, body)
}
