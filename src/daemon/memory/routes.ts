import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../contract/ground/errors.js'
import * as changes from '../../contract/memory/change.js'
import { type ModifyBody, type ModifyReply, modifyPatch } from '../../contract/memory/change.js'
import { feedback as feedbackEndpoint, judgeMemory as judgeEndpoint } from '../../contract/memory/feedback.js'
import * as contract from '../../contract/memory/memory.js'
import * as notes from '../../contract/memory/native-note.js'
import * as records from '../../contract/memory/record.js'
import type { ReadBoundary } from '../../store/tables/memory/memory-filter.js'
import { readBoundary } from '../ground/visibility/boundary.js'
import type { Caller } from '../ground/visibility/caller.js'
import type { Daemon } from '../platform/daemon/daemon.js'
import { route } from '../platform/http/bind.js'
import { parseInput } from '../platform/http/errors.js'
import { forget } from './edit/forget.js'
import { type PatchResult, patch } from './edit/patch.js'
import { listRemovals, recover, recoverAll, retentionDays } from './edit/recover.js'
import { remove } from './edit/remove.js'
import { supersede } from './edit/supersede.js'
import { withElsewhere } from './recall/elsewhere.js'
import { tryRecall } from './recall/recall.js'
import { feedback, judgeMemory } from './recall/recorded/feedback.js'
import { recallWithTelemetry } from './recall/recorded/recall-with-telemetry.js'
import { countMemories, listMemories } from './records/list-memories.js'
import { getMemory, memoryHistory, successorChain } from './records/read.js'
import { noMemory } from './records/record.js'
import { nativeNote } from './remember/native-note.js'
import { remember } from './remember/remember.js'

export const routes = [
  route(contract.remember, (daemon, { caller, body }) => remember(daemon, caller, body)),
  route(contract.recall, (daemon, { caller, body }) => {
    const recalling = body.trial
      ? tryRecall(daemon, caller, body)
      : recallWithTelemetry(daemon, caller, body, { route: contract.recall.path })
    return body.elsewhere ? withElsewhere(daemon, caller, body, recalling) : recalling
  }),
  route(judgeEndpoint, (daemon, { caller, params, query, body }) =>
    judgeMemory(daemon, caller, { ...query, id: params.id, judgement: body.judgement }),
  ),
  route(feedbackEndpoint, (daemon, { caller, body }) => feedback(daemon, caller, body)),
  route(changes.forget, (daemon, { caller, body }) => forget(daemon, caller, body)),
  route(records.listMemories, (daemon, { caller, query }) => listMemories(daemon, caller, query)),
  route(records.countMemories, (daemon, { caller, query }) => countMemories(daemon, caller, query)),
  route(records.getMemory, async (daemon, { caller, params, query }) =>
    getMemory(daemon, await readBoundary(daemon, caller, query), params.id),
  ),
  route(records.memoryHistory, async (daemon, { caller, params, query }) =>
    memoryHistory(daemon, await readBoundary(daemon, caller, query), params.id, query),
  ),
  route(records.memoryLineage, async (daemon, { caller, params, query }) => {
    const boundary = await readBoundary(daemon, caller, query)
    const items = await successorChain(daemon, boundary, params.id, query.limit)
    if (!items) throw noMemory(params.id)
    return { memoryId: params.id, count: items.length, lineage: items }
  }),
  route(notes.nativeNote, (daemon, { caller, body }) => nativeNote(daemon, caller, body)),
  route(changes.modify, (daemon, { caller, body }) => modify(daemon, caller, body)),
  route(changes.patchMemory, async (daemon, { caller, params, query, body }) => {
    const { reason, if_version, changed_by, ...fields } = body
    const actor = changed_by ?? caller.actor
    return patch(daemon, { ...caller, actor }, await readBoundary(daemon, caller, query), {
      id: params.id,
      fields,
      reason,
      ifVersion: if_version ?? undefined,
    })
  }),
  route(changes.supersedeMemory, async (daemon, { caller, params, query, body }) =>
    supersede(daemon, caller, await readBoundary(daemon, caller, query), { id: params.id, ...body }),
  ),
  route(changes.tombstoneMemory, async (daemon, { caller, params, query, body }) =>
    remove(daemon, caller, await readBoundary(daemon, caller, query), {
      id: params.id,
      reason: body.reason,
      force: true,
      ifVersion: body.if_version ?? undefined,
    }),
  ),
  route(changes.recoverMemory, async (daemon, { caller, params, query, body }) => {
    const boundary = await readBoundary(daemon, caller, query)
    const recovery = { id: params.id, reason: body.reason, ifVersion: body.if_version ?? undefined }
    return { ...(await recover(daemon, caller, boundary, recovery)), retentionDays }
  }),
  route(changes.recoverMemories, (daemon, { caller, body }) => recoverAll(daemon, caller, body)),
  route(changes.listRemovals, (daemon, { caller, query }) => listRemovals(daemon, caller, query)),
  route(changes.deleteMemory, async (daemon, { caller, params, query, body }) => {
    const reason = body?.reason ?? query.reason
    if (!reason)
      throw new AppError('validation_failed', 'a reason is required', [
        { path: 'reason', message: 'a reason is required' },
      ])
    return remove(daemon, caller, await readBoundary(daemon, caller, query), {
      id: params.id,
      reason,
      force: body?.force ?? query.force ?? false,
      ifVersion: body?.if_version ?? query.if_version,
    })
  }),
]

type Deps = Parameters<typeof patch>[0] & Pick<Daemon, 'store'>
type Result = ModifyReply['results'][number]

/** Applies up to 200 patches in order; a failed patch does not stop the others (rules.md 4.8). */
async function modify(deps: Deps, caller: Caller, body: ModifyBody): Promise<ModifyReply> {
  const boundary = await readBoundary(deps, caller, body)
  const results: Result[] = []
  for (const one of body.patches) {
    results.push(await applyOne(deps, caller, { boundary, body, one }))
    // SQLite answers synchronously, so without this pause a batch would block the event loop.
    await nextTurn()
  }
  const updated = results.filter(({ status }) => status === 'updated').length
  return { total: results.length, updated, results }
}

async function applyOne(
  deps: Deps,
  caller: Caller,
  { boundary, body, one }: { boundary: ReadBoundary; body: ModifyBody; one: unknown },
): Promise<PatchResult | Result> {
  const parsed = parsedPatch(one)
  if (parsed instanceof AppError) return invalid(one, parsed.message)
  const { id, reason: own, if_version, changed_by, ...fields } = parsed
  const reason = own ?? body.reason
  if (!reason) return invalid(one, 'a reason is required, here or for the whole batch')
  const actor = changed_by ?? body.changed_by ?? caller.actor
  try {
    return await patch(deps, { ...caller, actor }, boundary, {
      id,
      fields,
      reason,
      ifVersion: if_version ?? undefined,
    })
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') return invalid(one, error.message)
    throw error
  }
}

function parsedPatch(one: unknown) {
  try {
    return parseInput(modifyPatch, one)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

function invalid(one: unknown, error: string): Result {
  const id = (one as { id?: unknown } | null)?.id
  return {
    id: typeof id === 'string' ? id : '',
    status: 'invalid_request',
    contentChanged: false,
    embedded: false,
    error,
  }
}
