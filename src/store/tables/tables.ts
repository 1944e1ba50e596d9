import type { Kysely } from 'kysely'
import type { Schema } from '../schema.js'
import { agentsTable } from './agents.js'
import { apiKeysTable } from './api-keys.js'
import { compactionsTable } from './compactions.js'
import { entitiesTable } from './entities.js'
import { hintsTable } from './hints.js'
import { historyTable } from './history.js'
import { jobsTable } from './jobs.js'
import { memoriesTable } from './memories.js'
import { messagesTable } from './messages.js'
import { metaTable } from './meta.js'
import { recallLedgerTable } from './recall-ledger.js'
import { retentionTable } from './retention.js'
import { safetyTable } from './safety.js'
import { sessionEventsTable } from './session-events.js'
import { sessionsTable } from './sessions.js'
import { telemetryTable } from './telemetry.js'
import { temporalTable } from './temporal.js'
import { transcriptCapturesTable } from './transcript-captures.js'
import { transcriptChunksTable } from './transcript-chunks.js'
import { transcriptsTable } from './transcripts.js'
import { transferTable } from './transfer.js'
import { vectorsTable } from './vectors.js'

/** All SQL of the product, one module an aggregate; bound to a connection or to an open transaction. */
export function createTables(db: Kysely<Schema>) {
  return {
    memories: memoriesTable(db),
    history: historyTable(db),
    vectors: vectorsTable(db),
    hints: hintsTable(db),
    jobs: jobsTable(db),
    agents: agentsTable(db),
    apiKeys: apiKeysTable(db),
    compactions: compactionsTable(db),
    recallLedger: recallLedgerTable(db),
    retention: retentionTable(db),
    safety: safetyTable(db),
    sessions: sessionsTable(db),
    sessionEvents: sessionEventsTable(db),
    temporal: temporalTable(db),
    transfer: transferTable(db),
    messages: messagesTable(db),
    entities: entitiesTable(db),
    transcripts: transcriptsTable(db),
    transcriptChunks: transcriptChunksTable(db),
    transcriptCaptures: transcriptCapturesTable(db),
    telemetry: telemetryTable(db),
    meta: metaTable(db),
  }
}

export type Tables = ReturnType<typeof createTables>
