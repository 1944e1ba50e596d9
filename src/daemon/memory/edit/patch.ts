import type { ModifyPatch, PatchStatus } from '../../../contract/memory/change.js'
import { inSlices, isLarge } from '../../../lib/concurrency/every-few-ms.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow, NewMemory } from '../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import { embedJob, isMade, type ReadyVector, vectorInTime } from '../../ground/embedding/embed-now.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { judgeMemory } from '../records/judge-memory.js'
import { hashSteps, storageSteps } from '../records/normalise-content.js'
import { publicContent } from '../records/private-parts.js'
import { changeMemory, ifDuplicate } from '../records/write-change.js'
import { findToChange } from './find-to-change.js'
import type { ChangeResult } from './remove.js'

export interface PatchResult extends ChangeResult<PatchStatus> {
  contentChanged: boolean
  embedded: boolean
  duplicateMemoryId?: string
}

export type PatchFields = Pick<ModifyPatch, 'content' | 'type' | 'tags' | 'importance' | 'pinned' | 'who'>

export interface Patch {
  id: string
  fields: PatchFields
  reason: string
  ifVersion?: number | undefined
}

type Deps = Pick<
  Daemon,
  'store' | 'index' | 'embedder' | 'wake' | 'clock' | 'newId' | 'log' | 'configuration'
>

/** How often a row is judged anew because others changed it meanwhile. */
const maxAttempts = 5

/** New content with everything that is made of it before the write. */
interface NewContent {
  columns: Partial<NewMemory> & { content: string; content_hash: string }
  vector: ReadyVector | undefined
}

/** The verdict on a row with its new fields, as far as they enter contexts. */
interface Judged {
  /** The version of the row that was judged; a later version may have other tags. */
  version: number
  columns: Partial<NewMemory>
}

/** What is prepared before the transaction; `judged` is absent when the change does not touch what is judged. */
interface Prepared {
  text: NewContent | undefined
  judged: Judged | undefined
}

interface Applied {
  result: PatchResult
  changed?: { row: MemoryRow; hints: readonly string[]; holders: readonly Holder[] }
}

/**
 * Changes one memory (rules.md 4.6): content and type of episodic evidence never, tags, importance, pinned and who
 * always. New content is embedded before the write, and whatever reaches agents is judged; without a vector it is
 * found by keyword and gets one later.
 */
export async function patch(
  deps: Deps,
  caller: Caller,
  boundary: ReadBoundary,
  asked: Patch,
): Promise<PatchResult> {
  const request = await asStored(asked)
  const large = isLarge(request.fields.content ?? '')
  for (let attempt = 1; ; attempt++) {
    const prepared = await prepare(deps, boundary, request)
    const applied = await deps.store
      .write({ until: 'synced', large }, tables =>
        apply(deps, tables, caller, { boundary, request, prepared }),
      )
      .catch(ifDuplicate<Applied | 'moved'>({ result: outcome(request.id, 'duplicate_content_hash') }))
    if (applied === 'moved' && attempt < maxAttempts) continue
    if (applied === 'moved') return outcome(request.id, 'version_conflict')
    const { result, changed } = applied
    if (changed) index(deps, changed, result.contentChanged ? prepared.text : undefined)
    return result
  }
}

async function prepare(deps: Deps, boundary: ReadBoundary, request: Patch): Promise<Prepared> {
  const text = await newContent(deps, boundary, request)
  const row = await deps.store.tables.memories.find(request.id, boundary)
  const columns = row && changedColumns(row, request.fields)
  if (!columns || !isJudged(columns)) return { text, judged: undefined }
  const hints = (await deps.store.tables.hints.of([row.id])).get(row.id) ?? []
  const verdict = await judgeMemory({ ...row, ...columns }, hints, deps.clock().toISOString())
  return { text, judged: { version: row.version, columns: verdict } }
}

/** Whether the change touches what reaches agents, so that the old verdict no longer holds. */
function isJudged({ content, tags, who }: Partial<NewMemory>): boolean {
  return content !== undefined || tags !== undefined || who !== undefined
}

/** Its content as it would be stored. @throws AppError `validation_failed` when all of it is private. */
async function asStored(request: Patch): Promise<Patch> {
  const { content } = request.fields
  if (content == null) return request
  return {
    ...request,
    fields: { ...request.fields, content: await inSlices(storageSteps(publicContent(content))) },
  }
}

/** Undefined when the content stays as it is, or may not change; the transaction says which. */
async function newContent(
  deps: Deps,
  boundary: ReadBoundary,
  { id, fields }: Patch,
): Promise<NewContent | undefined> {
  if (fields.content == null) return undefined
  const { content } = fields
  const row = await deps.store.tables.memories.find(id, boundary)
  if (!row || row.is_deleted === 1 || row.memory_kind === 'episodic' || row.content === content)
    return undefined
  const made = await vectorInTime(deps, content)
  const vector = isMade(made) ? made : undefined
  return {
    columns: {
      content,
      content_hash: await inSlices(hashSteps(content)),
      embedding_model: vector?.model ?? null,
    },
    vector,
  }
}

async function apply(
  deps: Deps,
  tables: Tables,
  caller: Caller,
  { boundary, request, prepared }: { boundary: ReadBoundary; request: Patch; prepared: Prepared },
): Promise<Applied | 'moved'> {
  const { id, reason } = request
  const { text, judged } = prepared
  const target = await findToChange(tables, caller, boundary, id)
  if ('refused' in target) return { result: outcome(id, target.refused) }
  const { row } = target
  const columns = changedColumns(row, request.fields)
  // A new author would take the memory out of the scope that it is changed in.
  if (boundary.only?.who !== undefined && columns.who !== undefined)
    return { result: outcome(id, 'scope_violation', row) }
  const refused = refusal(row, columns, request, text)
  if (refused) return { result: outcome(id, refused, row) }
  const newText = columns.content === undefined ? undefined : text
  const twin = newText && (await twinOf(tables, row, newText, boundary))
  if (twin) return { result: { ...outcome(id, 'duplicate_content_hash', row), duplicateMemoryId: twin.id } }
  // Somebody changed the row since it was judged: the verdict would be on another one.
  if (isJudged(columns) && judged?.version !== row.version) return 'moved'
  const safety = isJudged(columns) ? judged?.columns : undefined
  const next = await write(deps, tables, caller, { row, columns, reason, text: newText, safety })
  if (!next) return { result: outcome(id, 'version_conflict', row) }
  const hints = await tables.hints.of([id])
  return {
    result: {
      ...outcome(id, 'updated', next),
      currentVersion: row.version,
      newVersion: next.version,
      contentChanged: newText !== undefined,
    },
    changed: { row: next, hints: hints.get(id) ?? [], holders: target.holders.slice(1) },
  }
}

function refusal(
  row: MemoryRow,
  columns: Partial<NewMemory>,
  { ifVersion }: Patch,
  text: NewContent | undefined,
): PatchStatus | undefined {
  if (row.is_deleted === 1) return 'deleted'
  if (ifVersion !== undefined && ifVersion !== row.version) return 'version_conflict'
  const evidence = columns.content !== undefined || columns.type !== undefined
  if (row.memory_kind === 'episodic' && evidence) return 'episodic_content_immutable'
  // The content moved on between looking and writing: what was embedded is not what would be written.
  if (columns.content !== undefined && !text) return 'version_conflict'
  return Object.keys(columns).length === 0 ? 'no_changes' : undefined
}

/** The columns whose value the fields change. */
function changedColumns(row: MemoryRow, fields: PatchFields): Partial<NewMemory> {
  const wanted: Partial<NewMemory> = {
    ...(fields.content != null && { content: fields.content }),
    ...(fields.type != null && { type: fields.type }),
    ...(fields.tags !== undefined && { tags: (fields.tags ?? []).join(',') }),
    ...(fields.importance != null && { importance: fields.importance }),
    ...(fields.pinned != null && { pinned: fields.pinned ? 1 : 0 }),
    ...(fields.who != null && { who: fields.who }),
  }
  return Object.fromEntries(
    Object.entries(wanted).filter(([column, value]) => row[column as keyof MemoryRow] !== value),
  )
}

/** Another row with the new content; the row itself may change its case or its end marks. */
async function twinOf(
  tables: Tables,
  row: MemoryRow,
  { columns }: NewContent,
  boundary: ReadBoundary,
): Promise<MemoryRow | undefined> {
  if (columns.content_hash === row.content_hash) return undefined
  return tables.memories.byHash(columns.content_hash, boundary)
}

async function write(
  deps: Deps,
  tables: Tables,
  caller: Caller,
  change: {
    row: MemoryRow
    columns: Partial<NewMemory>
    reason: string
    text: NewContent | undefined
    safety: Partial<NewMemory> | undefined
  },
): Promise<MemoryRow | undefined> {
  const { row, columns, reason, text, safety } = change
  const { content: _content, ...metadata } = columns
  const before = Object.fromEntries(Object.keys(metadata).map(key => [key, row[key as keyof MemoryRow]]))
  const next = await changeMemory(
    deps,
    tables,
    caller,
    row,
    { ...columns, ...text?.columns, ...safety },
    {
      event: 'modified',
      reason,
      ...(text && { oldContent: row.content, newContent: text.columns.content }),
      ...(Object.keys(metadata).length > 0 && { metadata: { before, after: metadata } }),
    },
  )
  if (!next || !text) return next
  const now = deps.clock().toISOString()
  // Those of the text before: one that was given up would keep back-fill from this one.
  await tables.jobs.settle(embedJob.kind, [row.id], now)
  if (text.vector) await tables.vectors.put({ memoryId: row.id, ...text.vector }, now)
  else await tables.vectors.remove(row.id)
  return next
}

function index(
  deps: Deps,
  { row, hints, holders }: NonNullable<Applied['changed']>,
  text: NewContent | undefined,
): void {
  // The vector of the old content would stay otherwise.
  if (text && !text.vector) deps.index.remove(row.id)
  deps.index.upsert(row, hints, holders)
  if (text?.vector) deps.index.setVector(row.id, text.vector.vector)
  if (text && !text.vector) deps.wake(embedJob)
}

function outcome(id: string, status: PatchStatus, row?: MemoryRow): PatchResult {
  return {
    id,
    status,
    ...(row && { currentVersion: row.version }),
    ...(row && status === 'no_changes' && { newVersion: row.version }),
    contentChanged: false,
    embedded: Boolean(row?.embedding_model),
  }
}
