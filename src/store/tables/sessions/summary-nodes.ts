import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema, SummaryNodesTable } from '../../schema/schema.js'
import { blanksFor, unindexed } from '../../sql/dialect.js'
import { sameProject } from '../../sql/same-project.js'
import { isSessionAmong, nameKeyOf, type SessionName } from './sessions.js'

export type SummaryNodeRow = Selectable<SummaryNodesTable>

/** A session's head (source_type `transcript`, source_ref its key), or a harness's summary of the session. */
export type NodeKind = 'session' | 'compaction'

/** A node to save; depth and edges are derived from its kind and session. */
export type NewSummaryNode = Omit<Insertable<SummaryNodesTable>, 'kind' | 'depth'> & { kind: NodeKind }

/** The part of a node shown to a session. */
export type SummaryHead = Pick<
  SummaryNodeRow,
  'id' | 'kind' | 'harness' | 'session_key' | 'ends_at' | 'content'
>

/** Selects nodes of an agent; a missing field does not restrict. */
export interface NodeFilter {
  agentId: string
  kinds?: readonly NodeKind[]
  project?: string | undefined
  sessionKey?: string
  /** Only nodes allowed in a context: safe, and without a forgotten or replaced memory. */
  safety?: 'clean'
  /** End times of nodes, ISO 8601, inclusive. */
  since?: string
  until?: string
}

/** Summary nodes: sessions and their summaries, ordered by `ends_at` (rules.md 4.10 and 4.11). */
export function summaryNodesTable(db: Kysely<Schema>) {
  return { ...nodes(db), ...relations(db), ...verdicts(db) }
}

function nodes(db: Kysely<Schema>) {
  // With a session given, the other columns' indexes would lead to all nodes of the agent.
  const named = (column: string, { sessionKey }: NodeFilter) =>
    sessionKey === undefined ? sql.ref<string>(column) : unindexed<string>(column)
  const selectNodes = (filter: NodeFilter) => {
    const { agentId, kinds, project, sessionKey, safety, since, until } = filter
    // Rows in the order of time would be read past all other projects.
    const endsAt = project === undefined ? named('ends_at', filter) : unindexed<string>('ends_at')
    return db
      .selectFrom('temporal_nodes')
      .selectAll()
      .where('agent_id', '=', agentId)
      .$if(kinds !== undefined, query => query.where('kind', 'in', [...(kinds ?? [])]))
      .$if(project !== undefined, query => query.where(sameProject(named('project', filter), project)))
      .$if(sessionKey !== undefined, query => query.where('session_key', '=', sessionKey as string))
      .$if(safety !== undefined, query =>
        query.where('safety_status', '=', safety as string).where(hasValidMemory),
      )
      .$if(since !== undefined, query => query.where(endsAt, '>=', since as string))
      .$if(until !== undefined, query => query.where(endsAt, '<=', until as string))
      .orderBy(endsAt, 'desc')
      .orderBy('id', 'desc')
  }
  return {
    /**
     * Saves a node under its agent, source_type and source_ref; an existing one keeps its id. A compaction
     * becomes the parent of its session's head and of the previous compaction, whichever is saved first.
     * @returns the id of the saved node.
     */
    keep: async (node: NewSummaryNode): Promise<string> => {
      const depth = node.kind === 'compaction' ? (await countBefore(db, node)) + 1 : 0
      const { id } = await db
        .insertInto('temporal_nodes')
        .values({ ...node, depth })
        .onConflict(conflict =>
          conflict.columns(['agent_id', 'source_type', 'source_ref']).doUpdateSet(eb => ({
            depth: eb.ref('excluded.depth'),
            session_key: eb.ref('excluded.session_key'),
            harness: eb.ref('excluded.harness'),
            project: eb.ref('excluded.project'),
            content: eb.ref('excluded.content'),
            meta: eb.ref('excluded.meta'),
            safety_status: eb.ref('excluded.safety_status'),
            safety_policy: eb.ref('excluded.safety_policy'),
            starts_at: eb.ref('excluded.starts_at'),
            ends_at: eb.ref('excluded.ends_at'),
          })),
        )
        .returning('id')
        .executeTakeFirstOrThrow()
      if (node.session_key != null) await linkSession(db, node.agent_id, node.session_key)
      return id
    },
    /** Newest first. */
    newest: (filter: NodeFilter, limit: number): Promise<SummaryNodeRow[]> =>
      selectNodes(filter).limit(limit).execute(),
    /** Returns nodes, newest first, with truncated contents, as summaries may be long. */
    heads: (
      filter: NodeFilter,
      { limit, maxContent }: { limit: number; maxContent: number },
    ): Promise<SummaryHead[]> =>
      db
        .selectFrom(selectNodes(filter).limit(limit).as('n'))
        .select(['n.id', 'n.kind', 'n.harness', 'n.session_key', 'n.ends_at'])
        .select(sql<string>`substr(n.content, 1, ${maxContent})`.as('content'))
        .orderBy('n.ends_at', 'desc')
        .orderBy('n.id', 'desc')
        .execute(),
    /** Returns the sessions that forks continue, by `nameKeyOf`; other sessions are absent. */
    forksOf: async (names: readonly SessionName[]): Promise<Map<string, string>> => {
      const rows = await db
        .selectFrom('temporal_nodes')
        .select(['agent_id', 'session_key', 'meta'])
        .where(isSessionAmong(names))
        .where('kind', '=', 'session')
        .execute()
      return new Map(
        rows.flatMap(({ agent_id, session_key, meta }) => {
          const { forkOf } = JSON.parse(meta) as { forkOf?: string }
          return forkOf && session_key ? [[nameKeyOf({ agent_id, session_key }), forkOf] as const] : []
        }),
      )
    },
    /** Returns a node of one agent; undefined when it is absent or another agent's. */
    find: (agentId: string, id: string): Promise<SummaryNodeRow | undefined> =>
      db
        .selectFrom('temporal_nodes')
        .selectAll()
        .where('id', '=', id)
        .where('agent_id', '=', agentId)
        .executeTakeFirst(),
    /** Returns the ids that may enter a context, as with `safety` in a filter. */
    tellable: async (ids: readonly string[]): Promise<Set<string>> => {
      if (ids.length === 0) return new Set()
      const rows = await db
        .selectFrom('temporal_nodes')
        .select('id')
        .where('id', 'in', [...ids])
        .where('safety_status', '=', 'clean')
        .where(hasValidMemory)
        .execute()
      return new Set(rows.map(({ id }) => id))
    },
    /** Overwrites the content of a node before its deletion. */
    blankBySource: async (agentId: string, { type, ref }: { type: string; ref: string }): Promise<void> => {
      await db
        .updateTable('temporal_nodes')
        .set({ content: blanksFor('content') })
        .where('agent_id', '=', agentId)
        .where('source_type', '=', type)
        .where('source_ref', '=', ref)
        .execute()
    },
    dropBySource: async (agentId: string, { type, ref }: { type: string; ref: string }): Promise<void> => {
      await db
        .deleteFrom('temporal_nodes')
        .where('agent_id', '=', agentId)
        .where('source_type', '=', type)
        .where('source_ref', '=', ref)
        .execute()
    },
    bySource: (
      agentId: string,
      { type, ref }: { type: string; ref: string },
    ): Promise<SummaryNodeRow | undefined> =>
      db
        .selectFrom('temporal_nodes')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('source_type', '=', type)
        .where('source_ref', '=', ref)
        .executeTakeFirst(),
  }
}

/** Hides a compaction whose memory was forgotten, replaced or judged unsafe since. */
export const hasValidMemory = sql<boolean>`(kind != 'compaction' OR EXISTS (
  SELECT 1 FROM compactions made JOIN memories m ON m.id = made.memory_id
  WHERE made.node_id = temporal_nodes.id AND m.is_deleted = 0 AND m.visibility <> 'archived' AND m.safety_status = 'clean' AND m.superseded_by IS NULL))`

function relations(db: Kysely<Schema>) {
  return {
    /** Returns nodes that summarize this one, newest first. */
    parents: (id: string, limit: number): Promise<SummaryNodeRow[]> =>
      db
        .selectFrom('temporal_nodes as n')
        .innerJoin('temporal_edges as e', 'e.parent_id', 'n.id')
        .selectAll('n')
        .where('e.child_id', '=', id)
        .orderBy('n.ends_at', 'desc')
        .orderBy('n.id', 'desc')
        .limit(limit)
        .execute(),
    /** Returns nodes that this one summarizes, in order. */
    children: (id: string, limit: number): Promise<SummaryNodeRow[]> =>
      db
        .selectFrom('temporal_nodes as n')
        .innerJoin('temporal_edges as e', 'e.child_id', 'n.id')
        .selectAll('n')
        .where('e.parent_id', '=', id)
        .orderBy('e.position')
        .orderBy('n.id')
        .limit(limit)
        .execute(),
    /** Links a node to memories; existing links stay. */
    linkMemories: async (nodeId: string, memoryIds: readonly string[]): Promise<void> => {
      if (memoryIds.length === 0) return
      await db
        .insertInto('temporal_memories')
        .values(memoryIds.map(memory_id => ({ node_id: nodeId, memory_id })))
        .onConflict(conflict => conflict.doNothing())
        .execute()
    },
    /** Returns the linked memories' ids, without an access check. */
    memoriesOf: async (nodeId: string, limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('temporal_memories')
        .select('memory_id')
        .where('node_id', '=', nodeId)
        .orderBy('memory_id')
        .limit(limit)
        .execute()
      return rows.map(row => row.memory_id)
    },
  }
}

function verdicts(db: Kysely<Schema>) {
  return {
    /** Returns nodes judged with another version of the content safety policy. */
    outdated: (policy: string, limit: number): Promise<Pick<SummaryNodeRow, 'id' | 'content'>[]> =>
      db
        .selectFrom('temporal_nodes')
        .select(['id', 'content'])
        // Two ranges, because the index cannot serve <>.
        .where(sql<boolean>`(safety_policy < ${policy} OR safety_policy > ${policy})`)
        .limit(limit)
        .execute(),
    /** Saves a verdict, unless the content changed since; its writer judged the new one. */
    judge: async (
      { id, content }: Pick<SummaryNodeRow, 'id' | 'content'>,
      status: string,
      policy: string,
    ): Promise<void> => {
      await db
        .updateTable('temporal_nodes')
        .set({ safety_status: status, safety_policy: policy })
        .where('id', '=', id)
        .where('content', '=', content)
        .execute()
    },
  }
}

async function countBefore(db: Kysely<Schema>, node: NewSummaryNode): Promise<number> {
  if (node.session_key == null) return 0
  const { count } = await db
    .selectFrom('temporal_nodes')
    .select(sql<number>`count(*)`.as('count'))
    .where('agent_id', '=', node.agent_id)
    .where('session_key', '=', node.session_key)
    .where('kind', '=', 'compaction')
    .where(unindexed<string>('ends_at'), '<', node.ends_at)
    .executeTakeFirstOrThrow()
  return count
}

/** Links each compaction to its session's head and to the previous compaction. */
async function linkSession(db: Kysely<Schema>, agentId: string, sessionKey: string): Promise<void> {
  const ofSession = sql`n.agent_id = ${agentId} AND n.session_key = ${sessionKey}`
  await sql`
    INSERT INTO temporal_edges (parent_id, child_id, position)
    SELECT n.id, head.id, 0 FROM temporal_nodes n
    JOIN temporal_nodes head ON head.agent_id = n.agent_id AND head.session_key = n.session_key AND head.kind = 'session'
    WHERE ${ofSession} AND n.kind = 'compaction'
    UNION ALL
    SELECT id, earlier, 1 FROM (
      SELECT n.id, lag(n.id) OVER (ORDER BY ${unindexed('n.ends_at')}, n.id) AS earlier FROM temporal_nodes n
      WHERE ${ofSession} AND n.kind = 'compaction') listed
    WHERE earlier IS NOT NULL
    ON CONFLICT DO NOTHING`.execute(db)
}
