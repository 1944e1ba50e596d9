import type { Database as Connection } from 'better-sqlite3'
import { memories } from './0001-memories.js'
import { retention } from './0002-retention.js'
import { reading } from './0003-reading.js'
import { recallLedger } from './0004-recall-ledger.js'
import { apiKeys } from './0005-api-keys.js'
import { summaries } from './0006-summaries.js'
import { sessions } from './0007-sessions.js'
import { transcripts } from './0008-transcripts.js'
import { temporal } from './0009-temporal.js'
import { peers } from './0010-peers.js'
import { sweepAttempts } from './0011-sweep-attempts.js'
import { keyUse } from './0012-key-use.js'
import { holders } from './0013-holders.js'
import { plans } from './0014-plans.js'
import { safetyRules } from './0015-safety-rules.js'
import { jobSubjects } from './0016-job-subjects.js'
import { skillUses } from './0017-skill-uses.js'
import { roster } from './0018-roster.js'
import { documents } from './0019-documents.js'
import { connectors } from './0020-connectors.js'
import { sources } from './0021-sources.js'
import { ontology } from './0022-ontology.js'
import { messageRelays } from './0023-message-relays.js'
import { transcriptImports } from './0024-transcript-imports.js'
import { tasks } from './0025-tasks.js'
import { recallPaths } from './0026-recall-paths.js'
import { textParts } from './0027-text-parts.js'
import { dreaming } from './0028-dreaming.js'
import { inferenceUsage } from './0029-inference-usage.js'
import { evidenceSources } from './0030-evidence-sources.js'
import { importProjects } from './0031-import-projects.js'
import { passCost } from './0032-pass-cost.js'
import { repair } from './0033-repair.js'
import { telemetry } from './0034-telemetry.js'
import { recallRecords } from './0035-recall-records.js'
import { continuity } from './0036-continuity.js'
import { telemetryCounts } from './0037-telemetry-counts.js'
import { codeProjects } from './0038-code-projects.js'
import { codeTies } from './0039-code-ties.js'
import { accesses } from './0040-accesses.js'
import { fewerIndexes } from './0041-fewer-indexes.js'
import { narrowCounts } from './0042-narrow-counts.js'
import { packedIds } from './0043-packed-ids.js'
import { outdatedVerdicts } from './0044-outdated-verdicts.js'
import { countsByFew } from './0045-counts-by-few.js'
import { importsElsewhere } from './0046-imports-elsewhere.js'

/** Numbered by position from 1; never edited once released, only appended. */
export const migrations: readonly { name: string; sql: string }[] = [
  { name: 'memories', sql: memories },
  { name: 'retention', sql: retention },
  { name: 'reading', sql: reading },
  { name: 'recall ledger', sql: recallLedger },
  { name: 'api keys', sql: apiKeys },
  { name: 'summaries', sql: summaries },
  { name: 'sessions', sql: sessions },
  { name: 'transcripts', sql: transcripts },
  { name: 'temporal', sql: temporal },
  { name: 'peers', sql: peers },
  { name: 'sweep attempts', sql: sweepAttempts },
  { name: 'key use', sql: keyUse },
  { name: 'holders', sql: holders },
  { name: 'plans', sql: plans },
  { name: 'safety rules', sql: safetyRules },
  { name: 'job subjects', sql: jobSubjects },
  { name: 'skill uses', sql: skillUses },
  { name: 'roster', sql: roster },
  { name: 'documents', sql: documents },
  { name: 'connectors', sql: connectors },
  { name: 'sources', sql: sources },
  { name: 'ontology', sql: ontology },
  { name: 'message relays', sql: messageRelays },
  { name: 'transcript imports', sql: transcriptImports },
  { name: 'tasks', sql: tasks },
  { name: 'recall paths', sql: recallPaths },
  { name: 'text parts', sql: textParts },
  { name: 'dreaming', sql: dreaming },
  { name: 'inference usage', sql: inferenceUsage },
  { name: 'evidence sources', sql: evidenceSources },
  { name: 'import projects', sql: importProjects },
  { name: 'pass cost', sql: passCost },
  { name: 'repair', sql: repair },
  { name: 'telemetry', sql: telemetry },
  { name: 'recall records', sql: recallRecords },
  { name: 'continuity', sql: continuity },
  { name: 'telemetry counts', sql: telemetryCounts },
  { name: 'code projects', sql: codeProjects },
  { name: 'code ties', sql: codeTies },
  { name: 'accesses', sql: accesses },
  { name: 'fewer indexes', sql: fewerIndexes },
  { name: 'narrow counts', sql: narrowCounts },
  { name: 'packed ids', sql: packedIds },
  { name: 'outdated verdicts', sql: outdatedVerdicts },
  { name: 'counts by few', sql: countsByFew },
  { name: 'imports elsewhere', sql: importsElsewhere },
]

export interface MigrationState {
  applied: number
  known: number
}

/**
 * Brings the database to the newest schema, one transaction a migration, so that a crash leaves a whole version; a new
 * one gets all of them in one, since each waits for the disk.
 * @throws Error when a newer release wrote the database.
 */
export function migrate(connection: Connection, now: Date): MigrationState {
  connection.exec(
    'CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)',
  )
  const applied = (
    connection.prepare('SELECT COALESCE(MAX(version), 0) AS version FROM migrations').get() as {
      version: number
    }
  ).version
  if (applied > migrations.length)
    throw new Error(
      `the database is at schema ${applied}, this release knows ${migrations.length}: a newer memory-service wrote it; update this one`,
    )
  const record = connection.prepare('INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, ?)')
  const steps = migrations.slice(applied).map(({ name, sql }, offset) => () => {
    connection.exec(sql)
    record.run(applied + offset + 1, name, now.toISOString())
  })
  const all = (): void => {
    for (const step of steps) step()
  }
  for (const step of applied === 0 ? [all] : steps) connection.transaction(step)()
  return { applied: migrations.length, known: migrations.length }
}
