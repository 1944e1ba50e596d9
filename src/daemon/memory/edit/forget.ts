import { createHmac, timingSafeEqual } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../contract/ground/errors.js'
import type { ForgetBody, ForgetReply } from '../../../contract/memory/change.js'
import type { RecallableMemory } from '../../../store/tables/memory/memories.js'
import type { MemoryFilter, ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { nearOf, readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { keepRelevant } from '../recall/ranking/confidence.js'
import { namedFilter } from '../recall/search/filter.js'
import { findCandidates } from '../recall/search/find-candidates.js'
import { remove } from './remove.js'

/** Batch size, and the size above which a preview must come first (rules.md 8). */
const maxCandidates = 200
const confirmAbove = 25
const tokenLifeMs = 600_000

type Deps = Pick<
  Daemon,
  'store' | 'index' | 'projects' | 'artifactIndex' | 'embedder' | 'clock' | 'newId' | 'log' | 'signingKey'
>

interface Candidate {
  row: RecallableMemory
  score: number
}

/**
 * Previews or forgets the memories selected by ids, query or filter (rules.md 4.8).
 * @throws AppError `validation_failed` without a selector or reason; `confirm_required` and `confirm_invalid`
 * for more than 25 memories without the token of a preview of exactly these.
 */
export async function forget(deps: Deps, caller: Caller, body: ForgetBody): Promise<ForgetReply> {
  checkRequest(body)
  const boundary = await readBoundary(deps, caller, body)
  const filter = { ...toFilter(body), ...(await nearby(deps, caller, body)) }
  const found = await selectCandidates(deps, boundary, filter, body)
  return body.mode === 'preview' ? preview(deps, found) : execute(deps, caller, { boundary, found, body })
}

function checkRequest(body: ForgetBody): void {
  if (!body.query && !body.ids && !hasFilter(body))
    throw new AppError(
      'validation_failed',
      'name what to forget: a query, ids, or a filter (type, tags, who, source_type, since, until)',
    )
  if (body.if_version !== undefined && body.if_version !== null)
    throw new AppError(
      'validation_failed',
      'if_version is not supported for several memories; use DELETE /api/memory/:id',
    )
  if (body.mode === 'execute' && !body.reason)
    throw new AppError('validation_failed', 'a reason is required to forget', [
      { path: 'reason', message: 'a reason is required' },
    ])
}

function hasFilter({ type, tags, who, source_type, since, until }: ForgetBody): boolean {
  return Boolean(type || tags?.length || who || source_type || since || until)
}

/** Returns the selected memories, best or newest first; all given restrictions apply. */
async function selectCandidates(
  deps: Deps,
  boundary: ReadBoundary,
  filter: MemoryFilter,
  body: ForgetBody,
): Promise<Candidate[]> {
  const limit = body.limit ?? maxCandidates
  if (body.query) {
    const { rows, confidence } = await findCandidates(deps, { query: body.query, boundary, filter, limit })
    const best = keepRelevant(rows, confidence).slice(0, limit)
    return best.map(({ row, score }) => ({ row, score }))
  }
  const rows = await deps.store.tables.memories.list(boundary, filter, { limit, offset: 0 })
  return rows.map(row => ({ row, score: 1 }))
}

function isByIdsAlone(body: ForgetBody): boolean {
  return body.ids !== undefined && !body.query && !hasFilter(body)
}

/** Returns the unique ids; when only ids select, the limit applies to them. */
function namedIds(body: ForgetBody): string[] {
  const ids = [...new Set(body.ids)]
  return isByIdsAlone(body) ? ids.slice(0, body.limit ?? maxCandidates) : ids
}

/** Ids mean one memory wherever it is; everything else looks where a recall of the caller does. */
async function nearby(
  deps: Deps,
  caller: Caller,
  body: ForgetBody,
): Promise<Pick<MemoryFilter, 'project' | 'orNoProject' | 'branches'>> {
  return isByIdsAlone(body) ? {} : nearOf(deps, caller, body)
}

function toFilter(body: ForgetBody): MemoryFilter {
  return {
    ...namedFilter(body),
    // Documents are removed as a whole, unless their chunks are selected by id.
    ...(!isByIdsAlone(body) && { chunks: false }),
    ...(body.ids && { ids: namedIds(body) }),
    ...(body.source_type && { sourceType: body.source_type }),
    ...(body.scope && { scope: body.scope }),
  }
}

function preview(deps: Deps, found: readonly Candidate[]): ForgetReply {
  return {
    mode: 'preview',
    count: found.length,
    requiresConfirm: found.length > confirmAbove,
    confirmToken: issueToken(
      deps,
      found.map(({ row }) => row.id),
    ),
    candidates: found.map(({ row, score }) => ({
      id: row.id,
      score,
      pinned: row.pinned,
      version: row.version,
      content: row.content,
      type: row.type,
      tags: row.tags,
      created_at: row.created_at,
    })),
  }
}

async function execute(
  deps: Deps,
  caller: Caller,
  { boundary, found, body }: { boundary: ReadBoundary; found: readonly Candidate[]; body: ForgetBody },
): Promise<ForgetReply> {
  const shown = found.map(({ row }) => row.id)
  if (shown.length > confirmAbove || body.confirm_token) checkToken(deps, shown, body.confirm_token)
  // Each id gets its own status, including `not_found`, which a preview does not show.
  const ids = isByIdsAlone(body) ? namedIds(body) : shown
  // A given project or scope limits the removal to it; the memory may have holders elsewhere.
  const { project, scope } = toFilter(body)
  const within = { scope, projects: project === undefined ? undefined : deps.projects.keysOf(project) }
  const results = []
  for (const id of ids) {
    results.push(
      await remove(deps, caller, boundary, { id, reason: body.reason as string, force: body.force, within }),
    )
    // Database calls don't yield the event loop, so other requests get a turn here.
    await nextTurn()
  }
  const deleted = results.filter(({ status }) => status === 'deleted').length
  return { mode: 'execute', requested: ids.length, deleted, results }
}

/** `<expiry>.<signature>`: proves that a recent preview showed exactly these ids. */
function issueToken({ clock, signingKey }: Deps, ids: readonly string[]): string {
  const expiry = clock().getTime() + tokenLifeMs
  return `${expiry}.${sign(signingKey, ids, expiry)}`
}

function checkToken(
  { clock, signingKey }: Deps,
  ids: readonly string[],
  token: string | null | undefined,
): void {
  if (!token)
    throw new AppError(
      'confirm_required',
      `${ids.length} memories would be forgotten; preview first and send its confirmToken as confirm_token`,
    )
  const [expiry = '', signature = ''] = token.split('.')
  const expected = Buffer.from(sign(signingKey, ids, Number(expiry)))
  const given = Buffer.from(signature)
  const genuine = given.length === expected.length && timingSafeEqual(given, expected)
  if (!genuine || Number(expiry) < clock().getTime())
    throw new AppError(
      'confirm_invalid',
      'the confirm_token has expired or belongs to other memories; preview again',
    )
}

function sign(key: Buffer, ids: readonly string[], expiry: number): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([expiry, ...[...ids].sort()]))
    .digest('base64url')
}
