import { rm } from 'node:fs/promises'
import { jsonOf } from '../../../lib/text/json-of.js'
import { dropLines } from '../../../store/files/line-file.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { recordFiles } from '../transcripts/transcript-record.js'
import { takeBackHalfWritten } from './capture-worker.js'
import { removeBody } from './remove-body.js'

/** Receipts and transcripts that are looked at together. */
const batch = 50

type Deps = Pick<Daemon, 'store' | 'paths' | 'transcriptIndex' | 'capturing' | 'budget'>

/**
 * Deletes every conversation of an agent for good: lines in the records of harnesses, receipts with what waits to be
 * captured, transcripts with their place in the index. A capture in hand ends first, none begins meanwhile. Each step
 * may be repeated.
 * @param goOn called between steps; what it throws ends the work.
 */
export function forgetConversations(deps: Deps, agentId: string, goOn: () => Promise<void>): Promise<void> {
  return deps.capturing(async () => {
    await takeBackHalfWritten(deps)
    await dropRecords(deps, agentId)
    await dropReceipts(deps, agentId, goOn)
    const { transcripts } = deps.store.tables
    for (let rows = await transcripts.ofAgent(agentId, batch); rows.length > 0; ) {
      for (const row of rows) {
        await removeBody(deps, row.body_id)
        await transcripts.drop(row)
        await goOn()
      }
      rows = await transcripts.ofAgent(agentId, batch)
    }
  })
}

/**
 * Takes what an agent's sessions said out of the records of harnesses; nothing is captured meanwhile.
 * @param sessionKeys only of these sessions.
 */
export async function dropRecords(
  deps: Pick<Deps, 'paths' | 'budget'>,
  agentId: string,
  sessionKeys?: ReadonlySet<string>,
): Promise<void> {
  const name = JSON.stringify(agentId)
  const isDropped = (line: string): boolean => {
    // Most lines of others need no look inside.
    if (!line.includes(name)) return false
    const said = jsonOf(line) as { agentId?: unknown; sessionKey?: unknown } | null | undefined
    return said?.agentId === agentId && (sessionKeys?.has(String(said.sessionKey)) ?? true)
  }
  for (const file of await recordFiles(deps)) await dropLines(file, isDropped, () => deps.budget.breathe())
}

async function dropReceipts(deps: Deps, agentId: string, goOn: () => Promise<void>): Promise<void> {
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
    await goOn()
  }
}

/** What a receipt still points at: a file of ours that waits, and bodies that nobody is shown. */
async function dropStaged(deps: Deps, { source, path, body_id, stale_body_id }: CaptureRow): Promise<void> {
  if (source === 'inline') await rm(path, { force: true })
  for (const body of [body_id, stale_body_id]) if (body !== null) await removeBody(deps, body)
}
