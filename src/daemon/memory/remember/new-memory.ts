import { AppError } from '../../../contract/ground/errors.js'
import type { RememberBody } from '../../../contract/memory/memory.js'
import { everyFewMs, inSlices, runToEnd } from '../../../lib/concurrency/every-few-ms.js'
import { dayMs } from '../../../lib/time/time.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import { type Head, headOf } from '../../ground/projects/repository.js'
import { agentOf } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createSimilarJudge } from '../records/judge-memory.js'
import { layoutOf } from '../records/layout.js'
import { hashSteps, parsePrefixes, storageSteps, typeSteps } from '../records/normalise-content.js'
import { changeMemory } from '../records/write-change.js'

/** A text up to this many characters takes a few milliseconds and needs no pauses. */
const shortLength = 4096

/** Reads the type from the sentences of a note; the reader is loaded with the first save that needs it. */
async function readType(content: string): Promise<string | undefined> {
  const { typeOfNote } = await import('../../ground/reading/layout/note-type.js')
  return typeOfNote(content)
}

/** Most memories share their labels with others. */
const judge = createSimilarJudge()

/**
 * Builds the complete row of a memory: parsed, hashed and judged (rules.md 1.1, 1.2 and 1.6).
 * @throws AppError `validation_failed` for empty content or a period that ends before it starts.
 */
export async function newMemory(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  caller: Caller,
  body: RememberBody,
  boundary: ReadBoundary,
): Promise<MemoryRow> {
  const breathe = everyFewMs()
  const done = <T>(steps: Generator<undefined, T>) =>
    body.content.length <= shortLength ? runToEnd(steps) : inSlices(steps, breathe)
  const stored = await done(storageSteps(body.content))
  const { content, critical, tags } = parsePrefixes(stored)
  if (content === '')
    throw new AppError(
      'validation_failed',
      'content is empty once its prefixes are taken off; say what to remember',
    )
  assertPeriod(body)
  const now = deps.clock().toISOString()
  const contentHash = await done(hashSteps(content))
  const type = body.type ?? (await readType(content)) ?? (await done(typeSteps(content)))
  const agentId = agentOf(caller, body) ?? defaultAgent
  const shared = (body.visibility ?? 'global') === 'global' && boundary.globalOf === 'all'
  const id = deps.newId()
  const memory = rowOf(caller, body, {
    id,
    now,
    content,
    layout: await layoutOf(body.content, stored.length - content.length, breathe),
    critical,
    tags: tags ?? [],
    contentHash,
    hashSpace: hashSpace(shared ? '' : agentId, boundary),
    type,
    agentId,
    only: boundary.only,
    head: caller.repository && (await headOf(caller.repository)),
  })
  // Assigned in place, since copying so many fields is expensive.
  return Object.assign(memory, await judge(memory, body.structured?.hints ?? [], now, breathe))
}

/** Values computed before the row is built. */
interface RowValues {
  id: string
  now: string
  content: string
  layout: string | null
  critical: boolean
  tags: readonly string[]
  contentHash: string
  hashSpace: string
  type: string
  agentId: string
  only: ReadBoundary['only']
  head: Head | undefined
}

/**
 * Lists all columns in one literal: copying and then filling takes fifty times as long. A new row is not yet
 * judged, recalled, changed, replaced or forgotten, and has one holder.
 */
function rowOf(caller: Caller, body: RememberBody, given: RowValues): MemoryRow {
  const meta = body.metadata
  return {
    id: given.id,
    content: given.content,
    content_hash: given.contentHash,
    hash_space: given.hashSpace,
    type: given.type,
    importance: body.importance ?? (given.critical ? 1 : 0.8),
    tags: (body.tags ?? given.tags).join(','),
    pinned: (body.pinned ?? given.critical) ? 1 : 0,
    who: body.who ?? given.only?.who ?? caller.harness ?? null,
    source_id: body.sourceId ?? meta?.source_id ?? null,
    source_type: body.sourceType ?? meta?.source_type ?? null,
    source_path: body.sourcePath ?? meta?.source_path ?? null,
    runtime_path: body.runtimePath ?? meta?.runtime_path ?? null,
    idempotency_key: body.idempotencyKey ?? meta?.idempotency_key ?? null,
    project: body.project ?? caller.project ?? given.only?.project ?? null,
    scope: body.scope ?? null,
    session_id: body.sessionId ?? caller.sessionKey ?? null,
    created_at: body.createdAt ?? given.now,
    updated_at: given.now,
    updated_by: caller.actor,
    agent_id: given.agentId,
    visibility: body.visibility ?? 'global',
    occurred_at: body.occurredAt ?? null,
    observed_at: body.observedAt ?? null,
    source_created_at: body.sourceCreatedAt ?? null,
    valid_from: body.validFrom ?? null,
    valid_until: body.validUntil ?? null,
    review_after: body.reviewAfter ?? null,
    structured: body.structured ? JSON.stringify(body.structured) : null,

    confidence: null,
    access_count: 0,
    last_accessed: null,
    is_deleted: 0,
    deleted_at: null,
    extraction_status: 'none',
    embedding_model: null,
    version: 1,
    memory_kind: 'episodic',
    superseded_by: null,
    superseded_at: null,
    superseded_reason: null,
    safety_status: '',
    safety_reasons: '',
    safety_rules: '',
    safety_policy: '',
    safety_scanned_at: '',
    change: 0,
    further_holders: 0,
    branch: given.head?.branch ?? null,
    commit_id: given.head?.commit ?? null,
    layout: given.layout,
    expires_at: null,
  }
}

function assertPeriod({ validFrom, validUntil }: RememberBody): void {
  if (validFrom && validUntil && validUntil <= validFrom)
    throw new AppError('validation_failed', `validUntil ${validUntil} must be after validFrom ${validFrom}`)
}

/**
 * A writer limited to a project or author gets its own hash space, so that deduplication reveals no rows
 * outside its scope.
 */
function hashSpace(space: string, { only }: ReadBoundary): string {
  // No agent has a name that begins with a space.
  return only ? ` ${JSON.stringify([space, only.project, only.who])}` : space
}

/**
 * Returns when a new memory expires (rules.md 1.4.1): as the save says, else by its type in `memory.expiry`.
 * A save by a person, without a harness, has no expiry by type. A pinned memory never expires.
 */
export function expiryOf(
  { clock, configuration }: Pick<Daemon, 'clock' | 'configuration'>,
  caller: Caller,
  { expiresAt }: RememberBody,
  { type, pinned }: Pick<MemoryRow, 'type' | 'pinned'>,
): string | null {
  if (pinned === 1) return null
  if (expiresAt) return expiresAt
  if (caller.harness === undefined) return null
  const wanted = configuration().settings.memory.expiry[type as keyof object] ?? 'never'
  return wanted === 'never'
    ? null
    : new Date(clock().getTime() + Number.parseInt(wanted, 10) * dayMs).toISOString()
}

/** Lets a memory that is saved again live as long as the new save says, if that is longer. */
export async function renewExpiry(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  tables: Tables,
  caller: Caller,
  known: MemoryRow,
  { expires_at }: Pick<MemoryRow, 'expires_at'>,
): Promise<MemoryRow> {
  if (known.expires_at === null || (expires_at !== null && expires_at <= known.expires_at)) return known
  const metadata = { before: { expires_at: known.expires_at }, after: { expires_at } }
  const change = { event: 'modified' as const, reason: 'saved again', metadata }
  return (await changeMemory(deps, tables, caller, known, { expires_at }, change)) ?? known
}
