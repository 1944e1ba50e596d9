import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema, SummaryNodesTable } from '../../schema/schema.js'
import { blanksFor, unindexed } from '../../sql/dialect.js'

export type SummaryNodeRow = Selectable<SummaryNodesTable>

/** A session's head (source_type `transcript`, source_ref its key), or a summary that a harness made of it. */
export type NodeKind = 'session' | 'compaction'

/** A node to keep; depths and edges follow from its kind and its session. */
export type NewSummaryNode = Omit<Insertable<SummaryNodesTable>, 'kind' | 'depth'> & { kind: NodeKind }

/** What a session is told of a node. */
export type SummaryHead = Pick<
  SummaryNodeRow,
  'id' | 'kind' | 'harness' | 'session_key' | 'ends_at' | 'content'
>

/** Which nodes of an agent; a missing field does not restrict. */
export interface NodeFilter {
  agentId: string
  kinds?: readonly NodeKind[]
  project?: string | undefined
  sessionKey?: string
  /** Only what may enter a context: judged so by the safety policy, no summary whose memory was forgotten or replaced. */
  safety?: 'clean'
  /** ISO timestamps of the end of a node, inclusive. */
  since?: string
  until?: string
}

/** Summary nodes: sessions and what sums them up, newest last by `ends_at` (rules.md 4.10 and 4.11). */
export function summaryNodesTable(db: Kysely<Schema>) {
  return { ...nodes(db), ...relations(db), ...verdicts(db) }
}

function nodes(db: Kysely<Schema>) {
  // By project or time the way would lead to all nodes of an agent where a session has few.
  const named = (column: string, { sessionKey }: NodeFilter) =>
    sessionKey === undefined ? sql.ref<string>(column) : unindexed<string>(column)
  const selected = (filter: NodeFilter) => {
    const { agentId, kinds, project, sessionKey, safety, since, until } = filter
    const endsAt = named('ends_at', filter)
    return db
      .selectFrom('temporal_nodes')
      .selectAll()
      .where('agent_id', '=', agentId)
      .$if(kinds !== undefined, query => query.where('kind', 'in', [...(kinds ?? [])]))
      .$if(project !== undefined, query => query.where(named('project', filter), '=', project as string))
      .$if(sessionKey !== undefined, query => query.where('session_key', '=', sessionKey as string))
      .$if(safety !== undefined, query =>
        query.where('safety_status', '=', safety as string).where(keepsMemory),
      )
      .$if(since !== undefined, query => query.where(endsAt, '>=', since as string))
      .$if(until !== undefined, query => query.where(endsAt, '<=', until as string))
      .orderBy(endsAt, 'desc')
      .orderBy('id', 'desc')
  }
  return {
    /**
     * Keeps a node under its agent, source_type and source_ref: a known one takes the new content and times and stays
     * the same node. A compaction becomes a parent of what it sums up: its session's head and the compactions before
     * it; a session's head that comes later is put below its compactions.
     * @returns the id of the node, which is an earlier one's when it is known.
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
      selected(filter).limit(limit).execute(),
    /** Newest first, with the beginning of each content alone: a summary may be long. */
    heads: (
      filter: NodeFilter,
      { limit, maxContent }: { limit: number; maxContent: number },
    ): Promise<SummaryHead[]> =>
      db
        .selectFrom(selected(filter).limit(limit).as('n'))
        .select(['n.id', 'n.kind', 'n.harness', 'n.session_key', 'n.ends_at'])
        .select(sql<string>`substr(n.content, 1, ${maxContent})`.as('content'))
        .orderBy('n.ends_at', 'desc')
        .orderBy('n.id', 'desc')
        .execute(),
    /** A node of one agent; undefined when it is absent or another agent's. */
    find: (agentId: string, id: string): Promise<SummaryNodeRow | undefined> =>
      db
        .selectFrom('temporal_nodes')
        .selectAll()
        .where('id', '=', id)
        .where('agent_id', '=', agentId)
        .executeTakeFirst(),
    /** Of the given nodes those that may enter a context, as `safety` of a filter says. */
    tellable: async (ids: readonly string[]): Promise<Set<string>> => {
      if (ids.length === 0) return new Set()
      const rows = await db
        .selectFrom('temporal_nodes')
        .select('id')
        .where('id', 'in', [...ids])
        .where('safety_status', '=', 'clean')
        .where(keepsMemory)
        .execute()
      return new Set(rows.map(({ id }) => id))
    },
    /** Writes over what a node says that is to be deleted. */
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

/** The memory of a compaction is its summary: what was forgotten or judged otherwise since is told nowhere else. */
const keepsMemory = sql<boolean>`(kind != 'compaction' OR EXISTS (
  SELECT 1 FROM compactions c JOIN memories m ON m.id = c.memory_id
  WHERE c.node_id = temporal_nodes.id AND m.is_deleted = 0 AND m.visibility <> 'archived' AND m.safety_status = 'clean' AND m.superseded_by IS NULL))`

function relations(db: Kysely<Schema>) {
  return {
    /** Nodes that sum up this one, newest first. */
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
    /** Nodes that this one sums up, in their order. */
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
    /** Links a node with memories; those it has are left alone. */
    linkMemories: async (nodeId: string, memoryIds: readonly string[]): Promise<void> => {
      if (memoryIds.length === 0) return
      await db
        .insertInto('temporal_memories')
        .values(memoryIds.map(memory_id => ({ node_id: nodeId, memory_id })))
        .onConflict(conflict => conflict.doNothing())
        .execute()
    },
    /** Ids of the memories that a node is linked with, whoever may see them. */
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
    /** Nodes that another version of the content safety policy judged. */
    outdated: (policy: string, limit: number): Promise<Pick<SummaryNodeRow, 'id' | 'content'>[]> =>
      db
        .selectFrom('temporal_nodes')
        .select(['id', 'content'])
        // Two ranges, so that the index answers: it has no "different from".
        .where(sql<boolean>`(safety_policy < ${policy} OR safety_policy > ${policy})`)
        .limit(limit)
        .execute(),
    /** Stores a verdict on a content; one that changed meanwhile was judged by its own writer. */
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

/** A compaction sums up the session so far: its head, and the compaction before it. */
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
      WHERE ${ofSession} AND n.kind = 'compaction')
    WHERE earlier IS NOT NULL
    ON CONFLICT DO NOTHING`.execute(db)
}
