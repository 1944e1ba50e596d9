import { rm } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import type { FingerprintRow, ImportRow } from '../../../../store/tables/knowledge/imports.js'
import type { SessionName } from '../../../../store/tables/sessions/sessions.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { settleValues } from '../../../ground/entities/settle-values.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { dropRecords } from '../../../sessions/capture/forget-conversations.js'
import { removeBody } from '../../../sessions/capture/remove-body.js'
import { renewSummary } from '../../../sessions/synthesis/synthesis-worker.js'
import type { SourceKind } from '../../sources/core/kind.js'
import { markUnsupported } from '../../sources/file-import/import.js'
import { importJob } from '../import-worker.js'
import { locksOf } from '../registry/registry.js'
import { importFolder } from '../uploads/stored-bytes.js'
import { settleBodies } from '../work/settle-bodies.js'

type RemoveDeps = Pick<
  Daemon,
  'store' | 'paths' | 'clock' | 'newId' | 'capturing' | 'transcriptIndex' | 'budget'
>

/** Conversations per batch. */
const batch = 50
/** Rows overwritten by one statement, during which requests wait. */
const blankedRows = 200

const unended = ['staging', 'queued', 'active', 'paused', 'interrupted']

const settings = z.object({ transcripts: z.string() })

/**
 * Imports of transcripts as sources (imports.md#removing): their conversations are searched as sessions, so a
 * pass has nothing to read. Removing the source deletes its conversations.
 */
export const transcriptImports: SourceKind<z.infer<typeof settings>> = {
  kind: 'import',
  settings,
  identityOf: ({ transcripts }) => transcripts,
  describe: ({ transcripts }) => ({ name: 'transcripts', root: `transcripts/${transcripts}` }),
  read: async function* () {
    yield { event: 'status', message: 'its conversations are found by searches of sessions' }
  },
  onBury: async (deps, tables, source) => {
    await endImport(deps, tables, source.settings.transcripts)
    await markUnsupported(deps, tables, source, 'removed')
  },
  cleanUp: async (deps, source) => {
    await removeImported(deps, source.settings.transcripts)
    await renewSummary(deps)
  },
}

/**
 * Ends an import whose source is removed; it stays as a tombstone with its counts. Call it in the tombstone's
 * transaction.
 */
async function endImport(
  { clock }: Pick<Daemon, 'clock'>,
  { imports, importFiles, jobs }: Pick<Tables, 'imports' | 'importFiles' | 'jobs'>,
  id: string,
): Promise<void> {
  const now = clock().toISOString()
  await imports.move(id, unended, { state: 'cancelled', completed_at: now, updated_at: now })
  await imports.update(id, { removed_at: now, updated_at: now })
  await importFiles.release(id)
  await jobs.completeFor(importJob.kind, id, now)
}

/**
 * Deletes the conversations of an import with their index entries and summaries, and the bytes of its files.
 * Fingerprints stay, marked as removed. Each step can be repeated.
 */
async function removeImported(deps: RemoveDeps, id: string): Promise<void> {
  locksOf(deps).running.get(id)?.abort()
  await deps.capturing(async () => {
    await settleBodies(deps, id)
    await blankImported(deps, id)
  })
  for (;;) {
    const known = await deps.store.tables.importRecords.importedBy(id, batch)
    if (known.length === 0) break
    await deps.capturing(() => removeConversations(deps, known))
    await nextTurn()
  }
  await rm(importFolder(deps, id), { recursive: true, force: true, maxRetries: 5 })
}

/**
 * Overwrites all conversations before any is deleted, and drops records that hooks delivered for them from
 * the files of harnesses.
 */
async function blankImported(deps: RemoveDeps, id: string): Promise<void> {
  const { importRecords, transcriptCaptures } = deps.store.tables
  const keys = new Set<string>()
  let agentId = ''
  for (let after = ''; ; ) {
    const known = await importRecords.importedBy(id, batch, after)
    const last = known.at(-1)
    if (!last) break
    after = last.identity
    agentId = last.agent_id
    const sessions = known.map(({ session_key }) => session_key)
    for (const key of await transcriptCaptures.handedOver(last.agent_id, sessions)) keys.add(key)
    for (const sessionKey of sessions) await blankConversation(deps, { agentId: last.agent_id, sessionKey })
    await nextTurn()
  }
  if (keys.size > 0) await dropRecords(deps, agentId, keys)
}

async function blankConversation({ store }: RemoveDeps, name: SessionName): Promise<void> {
  const row = await store.tables.transcripts.find(name)
  await store.write({ until: 'executed' }, async ({ transcripts, summaryNodes }) => {
    for (let at = 0; row && at < row.messages; at += blankedRows)
      await transcripts.blankMessages(row.body_id, at, blankedRows)
    await summaryNodes.blankBySource(name.agentId, { type: 'transcript', ref: name.sessionKey })
  })
}

/**
 * Deletes messages before the row: as long as the row exists, the next attempt finds the conversation again.
 */
async function removeConversations(deps: RemoveDeps, known: readonly FingerprintRow[]): Promise<void> {
  const { store, clock } = deps
  for (const { agent_id: agentId, session_key: sessionKey } of known) {
    const row = await store.tables.transcripts.find({ agentId, sessionKey })
    if (row) await removeBody(deps, row.body_id)
  }
  const now = clock().toISOString()
  await store.transaction(async tables => {
    const { transcripts, summaryNodes, importRecords, sessionTurns } = tables
    for (const { agent_id, session_key, identity } of known) {
      await transcripts.drop({ agent_id, session_key })
      await sessionTurns.drop({ agentId: agent_id, sessionKey: session_key })
      await summaryNodes.dropBySource(agent_id, { type: 'transcript', ref: session_key })
      await importRecords.markRemoved(agent_id, identity, now)
    }
    const ids = known.map(({ session_key }) => session_key)
    await settleValues(deps, tables, { kind: 'transcript', ids })
  })
}

/** Imports and fingerprints per step. */
const sliceImports = 20
const sliceFingerprints = 200

/**
 * Permanently deletes all imports of an agent, including fingerprints. Each step can be repeated.
 * @param betweenSteps called between steps; an error it throws ends the work
 */
export async function forgetImports(
  deps: RemoveDeps,
  agentId: string,
  betweenSteps: () => Promise<void>,
): Promise<void> {
  const { store } = deps
  for (;;) {
    const rows: ImportRow[] = await store.tables.imports.page(agentId, { limit: sliceImports, offset: 0 })
    if (rows.length === 0) break
    for (const { id } of rows) {
      await store.transaction(tables => endImport(deps, tables, id))
      await removeImported(deps, id)
      await store.tables.imports.drop([id])
      await betweenSteps()
    }
  }
  while ((await store.tables.importRecords.dropFingerprints(agentId, sliceFingerprints)) > 0)
    await betweenSteps()
}
