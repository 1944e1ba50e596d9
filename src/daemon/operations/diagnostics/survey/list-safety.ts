import type {
  ContentSafetyList,
  SafetySourceKind,
  SafetyStatus,
} from '../../../../contract/operations/diagnostics.js'
import { safetySourceKinds } from '../../../../contract/operations/diagnostics.js'
import type { Tables } from '../../../../store/tables/tables.js'

/** Filter of verdicts; `agentId` null includes all agents. */
export interface SafetyFilter {
  agentId: string | null
  status: SafetyStatus | undefined
  sourceKind: SafetySourceKind | undefined
  limit: number
  offset: number
}

export type SafetyPage = Pick<ContentSafetyList, 'counts' | 'items' | 'total' | 'hasMore'>

/** Content safety verdicts with counts, grouped by kind, newest first within a kind. */
export async function listSafety({ safetyVerdicts }: Tables, question: SafetyFilter): Promise<SafetyPage> {
  const { agentId, status, sourceKind, limit, offset } = question
  const counts = emptyCounts()
  for (const row of await safetyVerdicts.count(agentId))
    counts[row.kind as SafetySourceKind][row.status as SafetyStatus] = row.count
  const kinds = safetySourceKinds.filter(kind => sourceKind === undefined || kind === sourceKind)
  const totalOf = (kind: SafetySourceKind): number => {
    const { clean, tainted, blocked } = counts[kind]
    return status === undefined ? clean + tainted + blocked : counts[kind][status]
  }
  const items: ContentSafetyList['items'] = []
  let skip = offset
  for (const kind of kinds) {
    const total = totalOf(kind)
    if (items.length < limit && skip < total) {
      const page = { limit: limit - items.length, offset: skip }
      const rows = await safetyVerdicts.list(kind, { agentId, status: status ?? null }, page)
      items.push(...rows.map(row => ({ ...row, sourceKind: kind, ...verdictOf(row) })))
    }
    skip = Math.max(0, skip - total)
  }
  const total = kinds.reduce((sum, kind) => sum + totalOf(kind), 0)
  return { counts, items, total, hasMore: offset + items.length < total }
}

function verdictOf(row: { status: string; reasons: string }) {
  return {
    status: row.status as SafetyStatus,
    reasons: row.reasons.split(',').filter(Boolean) as ContentSafetyList['items'][number]['reasons'],
  }
}

function emptyCounts(): ContentSafetyList['counts'] {
  return Object.fromEntries(
    safetySourceKinds.map(kind => [kind, { clean: 0, tainted: 0, blocked: 0 }]),
  ) as ContentSafetyList['counts']
}
