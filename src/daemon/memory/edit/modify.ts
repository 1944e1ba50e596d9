import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../contract/ground/errors.js'
import { type ModifyBody, type ModifyReply, modifyPatch } from '../../../contract/memory/change.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { parseInput } from '../../platform/http/errors.js'
import { type PatchResult, patch } from './patch.js'

type Deps = Parameters<typeof patch>[0] & Pick<Daemon, 'store'>
type Result = ModifyReply['results'][number]

/** Applies up to 200 patches in order; a failed patch does not stop the others (rules.md 4.8). */
export async function modify(deps: Deps, caller: Caller, body: ModifyBody): Promise<ModifyReply> {
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
