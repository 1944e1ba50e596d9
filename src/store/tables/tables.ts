import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.js'
import { agentTracesTable } from './agents/agent-traces.js'
import { agentMemoriesTable, agentsTable } from './agents/agents.js'
import { messageRelaysTable, messagesTable } from './agents/messages.js'
import { skillUsesTable } from './agents/skill-uses.js'
import { taskRunsTable, tasksTable } from './agents/tasks.js'
import { claimsTable } from './knowledge/claims.js'
import { codeProjectsTable, codeTiesTable } from './knowledge/code-ties.js'
import { connectorFilesTable, connectorsTable } from './knowledge/connectors.js'
import { documentChunksTable } from './knowledge/document-chunks.js'
import { documentsTable } from './knowledge/documents.js'
import { attentionsTable, dreamPassesTable } from './knowledge/dreaming.js'
import { entitiesTable } from './knowledge/entities.js'
import { entityLinksTable, unlinkedMemoriesTable } from './knowledge/entity-links.js'
import { evidenceSpansTable } from './knowledge/evidence-spans.js'
import { importFilesTable } from './knowledge/import-files.js'
import { importRecordsTable, importsTable } from './knowledge/imports.js'
import { ontologyChangesTable } from './knowledge/ontology-changes.js'
import { ontologyRecordsTable } from './knowledge/ontology-records.js'
import { recallPathsTable } from './knowledge/recall-paths.js'
import { replacedValuesTable } from './knowledge/replaced-values.js'
import { sourceArtifactsTable } from './knowledge/source-artifacts.js'
import { sourceChunksTable } from './knowledge/source-chunks.js'
import { sourceNotesTable } from './knowledge/source-notes.js'
import { sourceJobsTable, sourcesTable } from './knowledge/sources.js'
import { accessesTable } from './memory/accesses.js'
import { duplicatesTable } from './memory/duplicates.js'
import { hintsTable } from './memory/hints.js'
import { historyTable } from './memory/history.js'
import { holdersTable } from './memory/holders.js'
import { memoriesTable } from './memory/memories.js'
import { recallLedgerTable } from './memory/recall-ledger.js'
import { safetyTable } from './memory/safety.js'
import { vectorShapesTable } from './memory/vector-shapes.js'
import { vectorsTable } from './memory/vectors.js'
import { copiesTable } from './operations/copies.js'
import { orphanRemovalTable, orphansTable } from './operations/orphans.js'
import { recallRecordsTable } from './operations/recall-records.js'
import { repairOperationsTable, repairRunsTable } from './operations/repairs.js'
import { knowledgeRetentionTable, retentionTable } from './operations/retention.js'
import { rowDamageTable } from './operations/row-damage.js'
import { safetyVerdictsTable } from './operations/safety-verdicts.js'
import { catalogueTable, surveyCountsTable } from './operations/survey-counts.js'
import { syncTable } from './operations/sync.js'
import { telemetryCountsTable, telemetryTable } from './operations/telemetry.js'
import { timelinesTable } from './operations/timelines.js'
import { transferTable } from './operations/transfer.js'
import { apiKeysTable, oauthRecordsTable } from './platform/credentials.js'
import { idPartsTable } from './platform/id-parts.js'
import { inferenceUsageTable } from './platform/inference-usage.js'
import { jobsTable } from './platform/jobs.js'
import { metaTable } from './platform/meta.js'
import { nodesTable } from './platform/nodes.js'
import { projectsTable } from './platform/projects.js'
import { compactionsTable } from './sessions/compactions.js'
import { continuityScoresTable } from './sessions/continuity-scores.js'
import { sessionEventsTable } from './sessions/session-events.js'
import { sessionTurnsTable } from './sessions/session-turns.js'
import { sessionsTable } from './sessions/sessions.js'
import { summaryNodesTable } from './sessions/summary-nodes.js'
import { transcriptCapturesTable } from './sessions/transcript-captures.js'
import { transcriptChunksTable } from './sessions/transcript-chunks.js'
import { transcriptsTable } from './sessions/transcripts.js'

const modules = {
  memories: memoriesTable,
  accesses: accessesTable,
  history: historyTable,
  holders: holdersTable,
  vectors: vectorsTable,
  hints: hintsTable,
  jobs: jobsTable,
  nodes: nodesTable,
  agents: agentsTable,
  agentMemories: agentMemoriesTable,
  agentTraces: agentTracesTable,
  apiKeys: apiKeysTable,
  oauthRecords: oauthRecordsTable,
  projects: projectsTable,
  idParts: idPartsTable,
  compactions: compactionsTable,
  codeProjects: codeProjectsTable,
  codeTies: codeTiesTable,
  connectors: connectorsTable,
  connectorFiles: connectorFilesTable,
  documents: documentsTable,
  documentChunks: documentChunksTable,
  sources: sourcesTable,
  sourceArtifacts: sourceArtifactsTable,
  sourceChunks: sourceChunksTable,
  sourceJobs: sourceJobsTable,
  sourceNotes: sourceNotesTable,
  attentions: attentionsTable,
  dreamPasses: dreamPassesTable,
  imports: importsTable,
  importFiles: importFilesTable,
  importRecords: importRecordsTable,
  recallLedger: recallLedgerTable,
  recallRecords: recallRecordsTable,
  retention: retentionTable,
  repairRuns: repairRunsTable,
  repairOperations: repairOperationsTable,
  orphanRemoval: orphanRemovalTable,
  duplicates: duplicatesTable,
  vectorShapes: vectorShapesTable,
  unlinkedMemories: unlinkedMemoriesTable,
  safety: safetyTable,
  sessions: sessionsTable,
  sessionEvents: sessionEventsTable,
  continuityScores: continuityScoresTable,
  sessionTurns: sessionTurnsTable,
  summaryNodes: summaryNodesTable,
  transfer: transferTable,
  sync: syncTable,
  messages: messagesTable,
  messageRelays: messageRelaysTable,
  entities: entitiesTable,
  entityLinks: entityLinksTable,
  claims: claimsTable,
  evidenceSpans: evidenceSpansTable,
  ontologyRecords: ontologyRecordsTable,
  ontologyChanges: ontologyChangesTable,
  knowledgeRetention: knowledgeRetentionTable,
  recallPaths: recallPathsTable,
  replacedValues: replacedValuesTable,
  transcripts: transcriptsTable,
  transcriptChunks: transcriptChunksTable,
  transcriptCaptures: transcriptCapturesTable,
  skillUses: skillUsesTable,
  tasks: tasksTable,
  taskRuns: taskRunsTable,
  inferenceUsage: inferenceUsageTable,
  telemetry: telemetryTable,
  telemetryCounts: telemetryCountsTable,
  timelines: timelinesTable,
  catalogue: catalogueTable,
  copies: copiesTable,
  orphans: orphansTable,
  rowDamage: rowDamageTable,
  safetyVerdicts: safetyVerdictsTable,
  surveyCounts: surveyCountsTable,
  meta: metaTable,
}

export type Tables = { [Name in keyof typeof modules]: ReturnType<(typeof modules)[Name]> }

/** Creates each module on first access and caches it on the object. */
const lazyModules = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.entries(modules).map(([name, create]) => [
      name,
      {
        get(this: { db: Kysely<Schema>; node: string | null }) {
          const value = create(this.db, this.node)
          Object.defineProperty(this, name, { value })
          return value
        },
      },
    ]),
  ),
)

/**
 * All SQL of the product: one module per kind of row, bound to a connection or an open transaction. Modules
 * are created on first access, as creating all would cost more than most transactions.
 * @param node the daemon among several that share the database; null for one that serves alone
 */
export function createTables(db: Kysely<Schema>, node: string | null = null): Tables {
  return Object.create(lazyModules, { db: { value: db }, node: { value: node } })
}
