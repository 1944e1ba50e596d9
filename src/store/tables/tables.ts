import type { Kysely } from 'kysely'
import type { Schema } from '../schema.js'
import { agentsTable } from './agents.js'
import { apiKeysTable } from './api-keys.js'
import { compactionsTable } from './compactions.js'
import { entitiesTable } from './entities.js'
import { hintsTable } from './hints.js'
import { historyTable } from './history.js'
import { holdersTable } from './holders.js'
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

const modules = {
  memories: memoriesTable,
  history: historyTable,
  holders: holdersTable,
  vectors: vectorsTable,
  hints: hintsTable,
  jobs: jobsTable,
  agents: agentsTable,
  apiKeys: apiKeysTable,
  compactions: compactionsTable,
  recallLedger: recallLedgerTable,
  retention: retentionTable,
  safety: safetyTable,
  sessions: sessionsTable,
  sessionEvents: sessionEventsTable,
  temporal: temporalTable,
  transfer: transferTable,
  messages: messagesTable,
  entities: entitiesTable,
  transcripts: transcriptsTable,
  transcriptChunks: transcriptChunksTable,
  transcriptCaptures: transcriptCapturesTable,
  telemetry: telemetryTable,
  meta: metaTable,
}

export type Tables = { [Name in keyof typeof modules]: ReturnType<(typeof modules)[Name]> }

/** Makes each module when it is asked for, and keeps it on the object that was asked. */
const lazily = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.entries(modules).map(([name, create]) => [
      name,
      {
        get(this: { db: Kysely<Schema> }) {
          const value = create(this.db)
          Object.defineProperty(this, name, { value })
          return value
        },
      },
    ]),
  ),
)

/**
 * All SQL of the product, one module an aggregate; bound to a connection or to an open transaction. A module is made
 * when it is first asked for: a transaction asks for few of them, and all together cost more than most transactions.
 */
export function createTables(db: Kysely<Schema>): Tables {
  return Object.create(lazily, { db: { value: db } })
}
