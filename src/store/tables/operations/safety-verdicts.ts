import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'

/** The kinds of texts that the safety policy judges. */
export type SafetyTextKind = 'memory' | 'artifact' | 'transcript' | 'summary' | 'source_chunk'

export interface VerdictCount {
  kind: SafetyTextKind
  status: string
  count: number
}

/** A verdict and the owner of the text, without the text. */
export interface SafetyVerdictRow {
  sourceId: string
  agentId: string
  status: string
  /** Comma-separated; empty where the kind has none. */
  reasons: string
  policyVersion: string
  scannedAt: string | null
}

interface VerdictSource {
  from: RawBuilder<unknown>
  agent: RawBuilder<unknown>
  status: RawBuilder<unknown>
  verdict: RawBuilder<unknown>
  order: RawBuilder<unknown>
}

const verdictSources: Readonly<Record<SafetyTextKind, VerdictSource>> = {
  memory: {
    from: sql`memories r WHERE r.is_deleted = 0`,
    agent: sql`r.agent_id`,
    status: sql`r.safety_status`,
    verdict: sql`r.id AS "sourceId", r.safety_reasons AS reasons, r.safety_policy AS "policyVersion",
      r.safety_scanned_at AS "scannedAt"`,
    order: sql`r.created_at DESC, r.id DESC`,
  },
  artifact: {
    from: sql`source_artifacts r JOIN sources s ON s.id = r.source_id WHERE r.removed = 0 AND s.removed_at IS NULL`,
    agent: sql`s.agent_id`,
    status: sql`r.safety_status`,
    verdict: sql`r.id AS "sourceId", r.safety_reasons AS reasons, r.safety_policy AS "policyVersion",
      r.safety_scanned_at AS "scannedAt"`,
    order: sql`r.id DESC`,
  },
  transcript: {
    from: sql`transcripts r WHERE true`,
    agent: sql`r.agent_id`,
    status: sql`r.safety_status`,
    verdict: sql`r.session_key AS "sourceId", r.safety_reasons AS reasons, r.safety_policy AS "policyVersion",
      r.safety_scanned_at AS "scannedAt"`,
    order: sql`r.captured_at DESC, r.session_key DESC`,
  },
  summary: {
    from: sql`temporal_nodes r WHERE true`,
    agent: sql`r.agent_id`,
    status: sql`r.safety_status`,
    verdict: sql`r.id AS "sourceId", '' AS reasons, r.safety_policy AS "policyVersion", NULL AS "scannedAt"`,
    order: sql`r.id DESC`,
  },
  source_chunk: {
    from: sql`source_chunks r JOIN sources s ON s.id = r.source_id
      JOIN source_artifacts a ON a.id = r.artifact_id WHERE r.removed = 0 AND s.removed_at IS NULL`,
    agent: sql`s.agent_id`,
    status: sql`r.safety_status`,
    verdict: sql`r.artifact_id || '#' || r.chunk AS "sourceId",
      CASE WHEN r.safety_status = 'clean' THEN '' ELSE a.safety_reasons END AS reasons,
      a.safety_policy AS "policyVersion", a.safety_scanned_at AS "scannedAt"`,
    order: sql`r.change DESC`,
  },
}

const allKinds = Object.keys(verdictSources) as SafetyTextKind[]

/** Safety verdicts on texts of all kinds. Queries scan whole tables: run them in a thread of their own. */
export function safetyVerdictsTable(db: Kysely<Schema>) {
  return {
    /** Counts by kind and verdict. @param agentId null for all agents together. */
    count: async (agentId: string | null): Promise<VerdictCount[]> => {
      const parts = allKinds.map(kind => {
        const { from, agent, status } = verdictSources[kind]
        return sql`SELECT ${sql.lit(kind)} AS kind, ${status} AS status, count(*) AS count
          FROM ${from} ${ofAgent(agent, agentId)} GROUP BY ${status}`
      })
      const { rows } = await sql<VerdictCount>`${sql.join(parts, sql` UNION ALL `)}`.execute(db)
      return rows
    },
    /** Returns verdicts of one kind, newest first. */
    list: async (
      kind: SafetyTextKind,
      filter: { agentId: string | null; status: string | null },
      { limit, offset }: { limit: number; offset: number },
    ): Promise<SafetyVerdictRow[]> => {
      const { from, agent, status, verdict, order } = verdictSources[kind]
      const wanted = filter.status === null ? sql`` : sql`AND ${status} = ${filter.status}`
      const { rows } =
        await sql<SafetyVerdictRow>`SELECT ${verdict}, ${agent} AS "agentId", ${status} AS status
        FROM ${from} ${ofAgent(agent, filter.agentId)} ${wanted}
        ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`.execute(db)
      return rows
    },
  }
}

function ofAgent(agent: RawBuilder<unknown>, agentId: string | null): RawBuilder<unknown> {
  return agentId === null ? sql`` : sql`AND ${agent} = ${agentId}`
}
