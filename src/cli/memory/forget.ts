import type { Reply, Request } from '../../contract/api.js'
import { hasOtherHolders } from '../../contract/memory/other-holders.js'
import { countOf } from '../../lib/text/count-of.js'
import { hasIdPart } from '../../lib/text/uuid.js'
import { CliError } from '../shell/cli-error.js'
import { onTerminal, shownId } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

type ForgetBody = NonNullable<Request<'POST /api/memory/forget'>['body']>
type ForgetReply = Reply<'POST /api/memory/forget'>
export type ForgetPreview = Extract<ForgetReply, { mode: 'preview' }>
export type ForgetResult = Extract<ForgetReply, { mode: 'execute' }>

/** Selects memories with ids, a query, filters, or several of these. */
export type ForgetTarget = Omit<ForgetBody, 'mode' | 'reason' | 'force' | 'confirm_token'>
export type ForgetCall = (body: ForgetBody) => Promise<ForgetReply>

/** Maximum number of memories per request (rules.md 8). */
export const forgetBatch = 200

/** Previews a forget without writing (rules.md 4.8). */
export async function previewForget(send: ForgetCall, target: ForgetTarget): Promise<ForgetPreview> {
  return (await send({ ...target, mode: 'preview' })) as ForgetPreview
}

/**
 * Forgets previewed memories: with the preview's token if all were chosen, else the chosen ids. More than 25
 * ids need a token, so one is requested for them first. Ids that the preview did not find are reported as
 * `not_found`.
 */
export async function executeForget(
  send: ForgetCall,
  plan: {
    target: ForgetTarget
    preview: ForgetPreview
    chosen?: readonly string[]
    reason: string
    force: boolean
  },
): Promise<ForgetResult> {
  const { target, preview, reason, force } = plan
  const shown = preview.candidates.map(({ id }) => id)
  const missing =
    target.ids
      ?.slice(0, target.limit ?? forgetBatch)
      .filter(id => !shown.some(whole => hasIdPart(whole, id))) ?? []
  const chosen = plan.chosen ?? (missing.length > 0 ? shown : undefined)
  const part = chosen && {
    ids: [...chosen],
    project: target.project,
    scope: target.scope,
    agentId: target.agentId,
    limit: forgetBatch,
  }
  const { confirmToken } = part ? await previewForget(send, part) : preview
  const confirmed = { mode: 'execute', reason, force, confirm_token: confirmToken } as const
  const result = (await send({ ...(part ?? target), ...confirmed })) as ForgetResult
  const notFound = missing.map(id => ({ id, status: 'not_found' as const }))
  return {
    ...result,
    requested: result.requested + missing.length,
    results: [...result.results, ...notFound],
  }
}

/**
 * Formats the result: one line with the count, one for each memory of the preview that went, and one for each
 * that was not forgotten.
 * @returns `complete` is false if a requested memory was not forgotten.
 */
export function forgetOutcome(
  result: ForgetResult,
  candidates: ForgetPreview['candidates'] = [],
): { lines: string[]; complete: boolean } {
  const stayed = result.results.filter(({ status }) => status !== 'deleted')
  const kept = result.results.filter(hasOtherHolders)
  const gone = result.results.filter(one => one.status === 'deleted' && !hasOtherHolders(one))
  const all = gone.length === 1 ? 'it' : `all ${gone.length}`
  const undo = gone.length > 0 && `To bring ${all} back within 30 days: memory undo`
  const texts = new Map(candidates.map(row => [row.id, `${row.type}  ${plainLine(row.content)}`]))
  return {
    complete: stayed.length === 0,
    lines: [
      `Forgot ${countOf(result.deleted, 'memory', 'memories')}`,
      ...gone.flatMap(({ id }) => {
        const text = texts.get(id)
        return text === undefined ? [] : onTerminal(`  ${shownId(id)}  ${text}`).slice(0, 1)
      }),
      ...stayed.map(({ id, status }) => `  not forgotten: ${id}, ${explain(status)}`),
      ...kept.map(
        ({ id }) => `  ${id}: other agents saved it too and still see it; to get it back, save it again`,
      ),
      ...(undo ? [undo] : []),
    ],
  }
}

/** @throws CliError for an empty target, which must never mean everything. */
export function requireTarget(target: ForgetTarget): void {
  const { ids, query, type, tags, who, source_type, since, until } = target
  if ([ids, query, type, tags, who, source_type, since, until].some(value => value !== undefined)) {
    if ((ids?.length ?? 0) <= forgetBatch) return
    throw new CliError(`too many ids: ${ids?.length}, at most ${forgetBatch} at once`, {
      code: 'validation_failed',
      exit: 'usage',
    })
  }
  throw new CliError('name the memories to forget: ids, a query or a filter', {
    code: 'target_required',
    exit: 'usage',
    nextSteps: [
      'memory forget ID --reason "outdated"',
      'memory forget --query "old deploy steps"',
      'memory list',
    ],
  })
}

const statusWords: Readonly<Record<string, string>> = {
  not_found: 'not found',
  already_deleted: 'already forgotten',
  pinned_requires_force: 'pinned, add --force',
  autonomous_force_denied: 'agents may not force pinned memories',
  version_conflict: 'changed in the meantime',
}

function explain(status: string): string {
  return statusWords[status] ?? status
}
