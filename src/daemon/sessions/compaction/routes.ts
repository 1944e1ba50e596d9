import { createHash } from 'node:crypto'
import { rememberBody } from '../../../contract/memory/memory.js'
import type { CompactionBody, CompactionReply } from '../../../contract/sessions/hooks.js'
import * as contract from '../../../contract/sessions/hooks.js'
import { clip } from '../../../lib/text/clip.js'
import { reportedTime } from '../../../lib/time/time.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { SessionName } from '../../../store/tables/sessions/sessions.js'
import type { Tables } from '../../../store/tables/tables.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import { withoutRecalled } from '../../ground/text/tag-spans.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { advanceEpoch } from '../../memory/recall/choose/ledger.js'
import { type RememberDeps, remember } from '../../memory/remember/remember.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { parseInput } from '../../platform/http/errors.js'
import { enterHook, type HookSession } from '../tracker/enter-hook.js'
import { finishCompaction } from './finish-compaction.js'
import { preCompaction } from './pre-compaction.js'

type Deps = RememberDeps & Pick<Daemon, 'paths' | 'environment' | 'projects' | 'requestCounts' | 'toolQueues'>

/** Characters of the summary in the node; the file contains all of it. */
const maxNodeContent = 8000
/** A summary repeats the session, so it is worth less than an explicitly saved memory. */
const summaryImportance = 0.5

/** A compaction before it is stored. */
interface Compaction {
  summary: string
  /** The session; with an empty key for calls without a session. */
  name: SessionName
  session: HookSession
  capturedAt: string
}

/** The stored or existing compaction. */
interface StoredCompaction {
  nodeId: string
  memoryId: string
  path: string
  isNew: boolean
}

export const routes = [
  route(contract.preCompaction, (daemon, { caller, body }) => preCompaction(daemon, caller, body)),
  route(contract.compactionComplete, (daemon, { caller, body }) => compactionComplete(daemon, caller, body)),
]

/**
 * Stores the summary of a compaction as a memory, a summary node and a file, and begins the next context
 * epoch of its session (rules.md 4.10). Memory, node and manifest are one transaction; file and epoch follow,
 * now or at the next start. A call is a retry when the newest compaction has the same summary and the session
 * was shown nothing since. A retry completes unfinished steps and changes nothing else.
 */
async function compactionComplete(
  deps: Deps,
  caller: Caller,
  body: CompactionBody,
): Promise<CompactionReply> {
  const entry = await enterHook(deps, caller, body)
  if (entry.kind === 'no-op') return { success: true, memoryId: null, contextEpoch: null, ...entry.flag }
  const { session } = entry
  const summary = withoutPrivate(withoutRecalled(body.summary)).trim()
  if (summary === '') {
    const contextEpoch = await tryEpoch(deps, session.name)
    return { success: true, memoryId: null, ...epochFields(contextEpoch) }
  }
  const now = deps.clock().toISOString()
  const capturedAt = reportedTime(body.capturedAt, now)
  const name = session.name ?? { agentId: session.agentId, sessionKey: '' }
  const kept = await keep(deps, caller, { summary, name, session, capturedAt })
  const { contextEpoch, path } = await finishCompaction(deps, kept.nodeId)
  if (kept.isNew && session.name)
    deps.blackBoxes.note({ ...session.name, project: session.project }, [
      {
        kind: 'artifact.written',
        title: 'compaction summary saved',
        refs: [kept.memoryId],
        payload: { artifact: 'compaction', nodeId: kept.nodeId, path, contextEpoch },
      },
    ])
  return { success: true, memoryId: kept.memoryId, ...epochFields(contextEpoch), path }
}

function epochFields(contextEpoch: number | null): Pick<CompactionReply, 'contextEpoch' | 'dedupeDegraded'> {
  return { contextEpoch, ...(contextEpoch === null && { dedupeDegraded: true as const }) }
}

/** An entirely private summary is not stored, but the context was compacted, so the epoch begins. */
async function tryEpoch(deps: Deps, name: SessionName | undefined): Promise<number | null> {
  if (!name) return null
  try {
    return await advanceEpoch(deps, name.agentId, name.sessionKey)
  } catch (error) {
    deps.log.warn({ err: error }, 'context epoch not advanced')
    return null
  }
}

async function keep(deps: Deps, caller: Caller, compaction: Compaction): Promise<StoredCompaction> {
  const { summary, name, session } = compaction
  const done: { kept?: StoredCompaction } = {}
  const project = await lineageProject(deps, compaction)
  const { id } = await remember(
    deps,
    caller,
    parseInput(rememberBody, {
      content: summary,
      type: 'semantic',
      importance: summaryImportance,
      tags: ['compaction', 'session-summary'],
      pinned: false,
      // A credential limited to a user writes under that user's name.
      ...(caller.access.scope.user === undefined && { who: session.harness }),
      project,
      agentId: name.agentId,
      sourceType: 'compaction',
      visibility: deps.configuration().settings.hooks.compaction.visibility,
      createdAt: compaction.capturedAt,
      ...(name.sessionKey && { sessionId: name.sessionKey }),
    }),
    async (tables, row) => {
      const known = await retried(tables, compaction)
      done.kept = known ?? (await insert(deps, tables, row, { ...compaction, project }))
    },
  )
  return { ...(done.kept as StoredCompaction), memoryId: id }
}

/** The project of the stored transcript, otherwise of the call or its folder (rules.md 4.10). */
async function lineageProject(
  { store }: Deps,
  { name, session }: Pick<Compaction, 'name' | 'session'>,
): Promise<string | null> {
  const head = await store.tables.summaryNodes.bySource(name.agentId, {
    type: 'transcript',
    ref: name.sessionKey,
  })
  return head?.project ?? session.project
}

/** The compaction that this call repeats; undefined for a new one. */
async function retried(
  { compactions, recallLedger }: Tables,
  { name, summary, capturedAt }: Compaction,
): Promise<StoredCompaction | undefined> {
  const hash = hashOf(summary)
  const atThatTime = await compactions.at(name, capturedAt)
  const newest = await compactions.newest(name)
  const known =
    atThatTime?.summary_hash === hash
      ? atThatTime
      : newest?.summary_hash === hash && !(await recallLedger.hasShown(name))
        ? newest
        : undefined
  return known && { nodeId: known.node_id, memoryId: known.memory_id, path: known.path, isNew: false }
}

async function insert(
  deps: Deps,
  { summaryNodes, compactions }: Tables,
  row: MemoryRow,
  { summary, name, session, project, ...compaction }: Compaction & { project: string | null },
): Promise<StoredCompaction> {
  const capturedAt = await freeTime({ compactions }, name, compaction.capturedAt)
  const before = await compactions.newest(name)
  const path = compactionPath(name, capturedAt)
  const sessionKey = name.sessionKey === '' ? null : name.sessionKey
  const nodeId = await summaryNodes.keep({
    id: deps.newId(),
    agent_id: name.agentId,
    kind: 'compaction',
    source_type: 'compaction',
    source_ref: path,
    session_key: sessionKey,
    harness: session.harness,
    project,
    content: clip(summary, maxNodeContent),
    meta: JSON.stringify({ characters: summary.length, path, memoryId: row.id }),
    safety_status: row.safety_status,
    safety_policy: row.safety_policy,
    starts_at: before?.captured_at ?? session.row?.started_at ?? capturedAt,
    ends_at: capturedAt,
    created_at: deps.clock().toISOString(),
  })
  await summaryNodes.linkMemories(nodeId, [row.id])
  await compactions.insert({
    node_id: nodeId,
    agent_id: name.agentId,
    session_key: name.sessionKey,
    memory_id: row.id,
    summary_hash: hashOf(summary),
    path,
    captured_at: capturedAt,
    document: compactionDocument(summary, {
      agent: name.agentId,
      session: sessionKey,
      harness: session.harness,
      project,
      capturedAt,
      memoryId: row.id,
    }),
    context_epoch: null,
  })
  if (sessionKey !== null) await compactions.noteInManifest(name, path)
  return { nodeId, memoryId: row.id, path, isNew: true }
}

/** Compactions of a session need different times, since the time names the file. */
async function freeTime(
  { compactions }: Pick<Tables, 'compactions'>,
  name: SessionName,
  wanted: string,
): Promise<string> {
  for (let ms = Date.parse(wanted); ; ms++) {
    const time = new Date(ms).toISOString()
    if (!(await compactions.at(name, time))) return time
  }
}

function hashOf(summary: string): string {
  return createHash('sha256').update(summary).digest('hex')
}

/** Fields at the top of a compaction's file. */
interface CompactionHead {
  agent: string
  session: string | null
  harness: string
  project: string | null
  capturedAt: string
  memoryId: string
}

/** Path below the workspace (rules.md 4.10); the session key is hashed, since it may contain anything. */
function compactionPath({ agentId, sessionKey }: SessionName, capturedAt: string): string {
  const token = createHash('sha256')
    .update(JSON.stringify([agentId, sessionKey]))
    .digest('hex')
    .slice(0, 16)
  return `memory/${capturedAt.replaceAll(':', '-')}--${token}--compaction.md`
}

/** The unchanged summary below a YAML header whose values are JSON. */
function compactionDocument(summary: string, head: CompactionHead): string {
  const lines = Object.entries(head).map(([field, value]) => `${field}: ${JSON.stringify(value)}`)
  return `---\nkind: compaction\n${lines.join('\n')}\n---\n\n${summary}\n`
}
