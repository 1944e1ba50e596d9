import type { ModifyPatch, PatchStatus } from '../../../contract/memory/change.js'
import { everyFewMs, inSlices, isLarge } from '../../../lib/concurrency/every-few-ms.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow, NewMemory } from '../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import { embedJob, isReadyVector, type ReadyVector, vectorInTime } from '../../ground/embedding/embed-now.js'
import { toEntry } from '../../ground/index/memory-entries.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { judgeMemory } from '../records/judge-memory.js'
import { layoutOf } from '../records/layout.js'
import { hashSteps, storageSteps } from '../records/normalise-content.js'
import { publicContent } from '../records/private-parts.js'
import { answerIfDuplicate, changeMemory } from '../records/write-change.js'
import { findToChange } from './find-to-change.js'
import type { ChangeResult } from './remove.js'

export interface PatchResult extends ChangeResult<PatchStatus> {
  contentChanged: boolean
  embedded: boolean
  duplicateMemoryId?: string
}

export type PatchFields = Pick<
  ModifyPatch,
  'content' | 'type' | 'project' | 'tags' | 'importance' | 'pinned' | 'expiresAt' | 'who'
>

export interface Patch {
  id: string
  fields: PatchFields
  reason: string
  ifVersion?: number | undefined
}

/** A patch with its content in storage form, and the layout that this form lacks. */
interface StoredPatch extends Patch {
  layout: string | null
}

type Deps = Pick<
  Daemon,
  'store' | 'index' | 'embedder' | 'wake' | 'clock' | 'newId' | 'log' | 'configuration'
>

/** Attempts to judge a row that others change at the same time. */
const maxAttempts = 5

/** New content with its columns and vector, prepared before the write. */
interface NewContent {
  columns: Partial<NewMemory> & { content: string; content_hash: string; layout: string | null }
  vector: ReadyVector | undefined
}

/** The safety verdict on a row with its new fields. */
interface MemoryVerdict {
  /** The version of the row that was judged; a later version may have other tags. */
  version: number
  columns: Partial<NewMemory>
}

/** Prepared before the transaction; `judged` is absent when no judged field changes. */
interface PreparedPatch {
  text: NewContent | undefined
  judged: MemoryVerdict | undefined
}

interface PatchOutcome {
  result: PatchResult
  changed?: { row: MemoryRow; hints: readonly string[]; holders: readonly Holder[] }
}

/**
 * Changes one memory (rules.md 4.6). Content and type of episodic evidence never change; project, tags,
 * importance, pinned and who always can. New content is embedded before the write, and every field that
 * reaches agents is judged. Without a vector, the memory is found by keyword until it gets one.
 */
export async function patch(
  deps: Deps,
  caller: Caller,
  boundary: ReadBoundary,
  asked: Patch,
): Promise<PatchResult> {
  const request = await toStorageForm(asked)
  const large = isLarge(request.fields.content ?? '')
  for (let attempt = 1; ; attempt++) {
    const prepared = await prepare(deps, boundary, request)
    const applied = await deps.store
      .write({ until: 'synced', large }, tables =>
        apply(deps, tables, caller, { boundary, request, prepared }),
      )
      .catch(
        answerIfDuplicate<PatchOutcome | 'moved'>({ result: outcome(request.id, 'duplicate_content_hash') }),
      )
    if (applied === 'moved' && attempt < maxAttempts) continue
    if (applied === 'moved') return outcome(request.id, 'version_conflict')
    const { result, changed } = applied
    if (changed) index(deps, changed, result.contentChanged ? prepared.text : undefined)
    return result
  }
}

async function prepare(deps: Deps, boundary: ReadBoundary, request: StoredPatch): Promise<PreparedPatch> {
  const text = await newContent(deps, boundary, request)
  const row = await deps.store.tables.memories.find(request.id, boundary)
  const columns = row && changedColumns(row, request.fields)
  if (!columns || !needsVerdict(columns)) return { text, judged: undefined }
  const hints = (await deps.store.tables.hints.of([row.id])).get(row.id) ?? []
  const verdict = await judgeMemory({ ...row, ...columns }, hints, deps.clock().toISOString())
  return { text, judged: { version: row.version, columns: verdict } }
}

/** Fields that reach agents need a new verdict. */
function needsVerdict({ content, project, tags, who }: Partial<NewMemory>): boolean {
  return [content, project, tags, who].some(value => value !== undefined)
}

/**
 * Returns the request with its content in storage form.
 * @throws AppError `validation_failed` when all of it is private.
 */
async function toStorageForm(request: Patch): Promise<StoredPatch> {
  if (request.fields.content == null) return { ...request, layout: null }
  const given = publicContent(request.fields.content)
  return {
    ...request,
    fields: { ...request.fields, content: await inSlices(storageSteps(given)) },
    layout: await layoutOf(given, 0, everyFewMs()),
  }
}

/** Returns undefined when the content stays the same or may not change; the transaction decides which. */
async function newContent(
  deps: Deps,
  boundary: ReadBoundary,
  { id, fields, layout }: StoredPatch,
): Promise<NewContent | undefined> {
  if (fields.content == null) return undefined
  const { content } = fields
  const row = await deps.store.tables.memories.find(id, boundary)
  if (!row || row.is_deleted === 1 || row.memory_kind === 'episodic' || row.content === content)
    return undefined
  const made = await vectorInTime(deps, content)
  const vector = isReadyVector(made) ? made : undefined
  return {
    columns: {
      content,
      content_hash: await inSlices(hashSteps(content)),
      layout,
      embedding_model: vector?.model ?? null,
    },
    vector,
  }
}

async function apply(
  deps: Deps,
  tables: Tables,
  caller: Caller,
  { boundary, request, prepared }: { boundary: ReadBoundary; request: Patch; prepared: PreparedPatch },
): Promise<PatchOutcome | 'moved'> {
  const { id, reason } = request
  const { text, judged } = prepared
  const target = await findToChange(tables, caller, boundary, id)
  if ('refused' in target) return { result: outcome(id, target.refused) }
  const { row } = target
  const columns = changedColumns(row, request.fields)
  // A new author or project would move the memory out of the credential's scope.
  const { only } = boundary
  if (
    (only?.who !== undefined && columns.who !== undefined) ||
    (only?.project !== undefined && columns.project !== undefined)
  )
    return { result: outcome(id, 'scope_violation', row) }
  const refused = refusal(row, columns, request, text)
  if (refused) return { result: outcome(id, refused, row) }
  const newText = columns.content === undefined ? undefined : text
  const twin = newText && (await twinOf(tables, row, newText, boundary))
  if (twin) return { result: { ...outcome(id, 'duplicate_content_hash', row), duplicateMemoryId: twin.id } }
  // The row changed after it was judged, so the verdict belongs to another version.
  if (needsVerdict(columns) && judged?.version !== row.version) return 'moved'
  const safety = needsVerdict(columns) ? judged?.columns : undefined
  const written = await write(deps, tables, caller, { row, columns, reason, text: newText, safety })
  if (!written) return { result: outcome(id, 'version_conflict', row) }
  const { next, others } = await oneHolderEach(tables, written, target.holders.slice(1))
  const hints = await tables.hints.of([id])
  return {
    result: {
      ...outcome(id, 'updated', next),
      currentVersion: row.version,
      newVersion: next.version,
      contentChanged: newText !== undefined,
    },
    changed: { row: next, hints: hints.get(id) ?? [], holders: others },
  }
}

/** Removes a further holder with the same place as the first, which may have moved there. */
async function oneHolderEach(tables: Tables, next: MemoryRow, others: readonly Holder[]) {
  const same = others.find(
    ({ agent_id, project, scope }) =>
      agent_id === next.agent_id && project === next.project && scope === next.scope,
  )
  if (!same) return { next, others }
  await tables.holders.remove(next.id, same)
  await tables.holders.recount(next.id, next.change)
  const further_holders = next.further_holders - 1
  return { next: { ...next, further_holders }, others: others.filter(one => one !== same) }
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
  // The content changed between reading and writing, so the vector belongs to another text.
  if (columns.content !== undefined && !text) return 'version_conflict'
  return Object.keys(columns).length === 0 ? 'no_changes' : undefined
}

/** Returns the columns whose values the fields change. */
function changedColumns(row: MemoryRow, fields: PatchFields): Partial<NewMemory> {
  const wanted: Partial<NewMemory> = {
    ...(fields.content != null && { content: fields.content }),
    ...(fields.type != null && { type: fields.type }),
    ...(fields.project != null && { project: fields.project }),
    ...(fields.tags !== undefined && { tags: (fields.tags ?? []).join(',') }),
    ...(fields.importance != null && { importance: fields.importance }),
    ...(fields.pinned != null && { pinned: fields.pinned ? 1 : 0 }),
    ...(fields.expiresAt != null && { expires_at: fields.expiresAt === 'never' ? null : fields.expiresAt }),
    ...(fields.who != null && { who: fields.who }),
  }
  return Object.fromEntries(
    Object.entries(wanted).filter(([column, value]) => row[column as keyof MemoryRow] !== value),
  )
}

/** Finds another row with the new content; the row itself may change case or end marks. */
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
  // Settles jobs of the previous text: a failed one would keep back-fill away from the new text.
  await tables.jobs.settle(embedJob.kind, [row.id], now)
  if (text.vector) await tables.vectors.put([{ memoryId: row.id, ...text.vector }], now)
  else await tables.vectors.remove(row.id)
  return next
}

function index(
  deps: Deps,
  { row, hints, holders }: NonNullable<PatchOutcome['changed']>,
  text: NewContent | undefined,
): void {
  // Removing the entry also removes the vector of the old content.
  if (text && !text.vector) deps.index.remove(row.id)
  deps.index.upsert(toEntry(row, hints, holders))
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
