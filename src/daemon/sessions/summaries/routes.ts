import { notFound } from '../../../contract/ground/errors.js'
import type {
  ExpandBody,
  ExpandReply,
  SessionSummary,
  SummariesQuery,
  SummaryNode,
} from '../../../contract/sessions/summaries.js'
import * as contract from '../../../contract/sessions/summaries.js'
import { clip, quoted } from '../../../lib/text/clip.js'
import { isWithinProject, type ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { SessionName } from '../../../store/tables/sessions/sessions.js'
import type { SummaryNodeRow } from '../../../store/tables/sessions/summary-nodes.js'
import { blackBoxOf } from '../../ground/sessions/black-box.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { toListedMemory } from '../../memory/records/record.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { mayReadNodes } from '../synthesis/survey.js'
import { mayRead } from '../transcripts/session-transcript.js'

type Deps = Pick<Daemon, 'store' | 'blackBoxes'>

/** Maximum nodes and memories in one reply besides the node. */
const maxNodes = 100
const maxMemories = 50
const maxContent = 2000

/** Messages read at a time. */
const page = 50

export const routes = [
  route(contract.listSummaries, async (daemon, { caller, query }) => {
    const listed = await listSummaries(daemon, caller, query)
    return { summaries: listed, count: listed.length }
  }),
  route(contract.expandSummary, (daemon, { caller, body }) => expandSummary(daemon, caller, body)),
]

/** Lists summary nodes of the caller's agent, newest first (rules.md 4.11). */
async function listSummaries(deps: Deps, caller: Caller, query: SummariesQuery): Promise<SessionSummary[]> {
  const boundary = await readBoundary(deps, caller, query)
  if (!mayReadNodes(boundary)) return []
  const nodes = await deps.store.tables.summaryNodes.newest(
    {
      agentId: agentOf(caller, query) ?? defaultAgent,
      project: query.project ?? boundary.only?.project,
      ...(query.kind && { kinds: [query.kind] }),
      ...(query.sessionKey && { sessionKey: sessionKeyOf(query.sessionKey) }),
    },
    query.limit,
  )
  return nodes.map(toSummary)
}

/**
 * Returns a node with its parents and children, its linked memories that the reader may see, and on request
 * the beginning of its session's transcript (rules.md 4.11).
 * @throws AppError `not_found` for a node that is absent, another agent's, or outside the credential's scope.
 */
async function expandSummary(deps: Deps, caller: Caller, body: ExpandBody): Promise<ExpandReply> {
  const boundary = await readBoundary(deps, caller, body)
  const { summaryNodes } = deps.store.tables
  const node = await summaryNodes.find(agentOf(caller, body) ?? defaultAgent, body.id)
  if (!node || !isVisible(node, boundary))
    throw notFound(
      `summary ${quoted(body.id)} not found`,
      'list summaries with memory sessions summaries (GET /api/sessions/summaries)',
    )
  const [parents, children] = await Promise.all([
    summaryNodes.parents(node.id, maxNodes),
    summaryNodes.children(node.id, maxNodes),
  ])
  const tellable = await summaryNodes.tellable([node, ...parents, ...children].map(({ id }) => id))
  const shown = (one: SummaryNodeRow): SummaryNode => toNode(one, tellable.has(one.id))
  const near = (nodes: readonly SummaryNodeRow[]) => nodes.filter(one => isVisible(one, boundary)).map(shown)
  return {
    node: shown(node),
    parents: near(parents),
    children: near(children),
    linkedMemories: await linkedMemories(deps, node, boundary),
    transcript: body.includeTranscript
      ? await transcriptExcerpt(deps, caller, node, body.transcriptCharLimit)
      : null,
  }
}

function isVisible({ project }: SummaryNodeRow, boundary: ReadBoundary): boolean {
  return mayReadNodes(boundary) && isWithinProject(project, boundary.only ?? {})
}

/**
 * Linked memories, then memories saved according to the session's black box; only alive, clean ones within
 * the boundary.
 */
async function linkedMemories(
  deps: Deps,
  node: SummaryNodeRow,
  boundary: ReadBoundary,
): Promise<ExpandReply['linkedMemories']> {
  const { summaryNodes, memories } = deps.store.tables
  const linked = await summaryNodes.memoriesOf(node.id, maxMemories)
  const saved = await savedIn(deps, node)
  const ids = [...new Set([...linked, ...saved])].slice(0, maxMemories)
  const allowed = await memories.authorize(ids, boundary, {})
  const rows = new Map((await memories.load([...allowed])).map(row => [row.id, row]))
  return ids.flatMap(id => {
    const row = rows.get(id)
    return row ? [{ ...toListedMemory(row), content: clip(row.content, maxContent) }] : []
  })
}

async function savedIn(
  deps: Deps,
  { agent_id: agentId, session_key: sessionKey }: SummaryNodeRow,
): Promise<string[]> {
  if (sessionKey === null) return []
  const session: SessionName = { agentId, sessionKey }
  const events = await blackBoxOf(deps, session)
  return events
    .filter(({ kind }) => kind === 'assertion.created')
    .flatMap(({ refs }) => JSON.parse(refs) as string[])
}

function toSummary(node: SummaryNodeRow): SessionSummary {
  const { id, kind, depth, source_type, source_ref, session_key, harness, project, starts_at, ends_at } = node
  return {
    id,
    kind: kind as SessionSummary['kind'],
    depth,
    source_type,
    source_ref,
    meta_json: node.meta,
    session_key,
    harness,
    project,
    starts_at,
    ends_at,
  }
}

function toNode(node: SummaryNodeRow, isTold: boolean): SummaryNode {
  return { ...toSummary(node), content: isTold ? node.content : '', contentSafety: node.safety_status }
}

/**
 * The beginning of the node's conversation, in complete messages as far as they fit; null without a
 * conversation, or when the content safety policy excludes it.
 * @param maxLength UTF-16 units.
 */
async function transcriptExcerpt(
  { store }: Pick<Daemon, 'store'>,
  caller: Caller,
  { agent_id: agentId, session_key: sessionKey }: SummaryNodeRow,
  maxLength: number,
): Promise<{ sessionKey: string; excerpt: string } | null> {
  if (sessionKey === null) return null
  const { transcripts } = store.tables
  const row = await transcripts.find({ agentId, sessionKey })
  if (!row || !mayRead(caller, row) || row.safety_status !== 'clean') return null
  let excerpt = ''
  for (let from = 0; excerpt.length <= maxLength; ) {
    const messages = await transcripts.messages(row, from, page)
    if (messages.length === 0) break
    from += messages.length
    excerpt += messages.map(({ role, text }) => `${role}: ${text}\n\n`).join('')
  }
  return { sessionKey, excerpt: clip(excerpt.trim(), maxLength) }
}
