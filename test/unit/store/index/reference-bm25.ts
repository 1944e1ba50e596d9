import type { MemoryEntry, MemoryEntryFilter } from '../../../../src/store/index/collections.js'

interface Text {
  key: string
  terms: readonly string[]
  /** Terms that count as frequency if only some are visible. */
  visible?: readonly string[]
}

/** Rows with fewer than 20 terms count as 20 long; sessions count with their own length. */
export const rowBm25 = { k1: 1.5, b: 0.95, short: 20 }
export const sessionBm25 = { k1: 1.2, b: 0.6, short: 0 }

/** Computes BM25 directly from its definition; returns scores by key. */
export function referenceBm25(
  texts: readonly Text[],
  query: readonly string[],
  { k1, b, short } = rowBm25,
): Map<string, number> {
  const lengthOf = ({ terms }: Text) => Math.max(short, terms.length)
  const average = texts.reduce((sum, text) => sum + lengthOf(text), 0) / texts.length
  const scores = new Map<string, number>()
  for (const term of new Set(query)) {
    const matching = texts.filter(text => text.terms.includes(term))
    const idf = Math.log(1 + (texts.length - matching.length + 0.5) / (matching.length + 0.5))
    for (const text of matching) {
      const { key, visible = text.terms } = text
      const frequency = visible.filter(other => other === term).length
      if (frequency === 0) continue
      const norm = k1 * (1 - b + (b * lengthOf(text)) / average)
      scores.set(key, (scores.get(key) ?? 0) + (idf * frequency * (k1 + 1)) / (frequency + norm))
    }
  }
  return scores
}

/** Returns true if a memory passes the filter, checked rule by rule. */
export function referenceFilter(entry: MemoryEntry, filter: MemoryEntryFilter): boolean {
  const { held = [] } = entry
  const { agents, includeGlobal } = filter
  const isAlive = entry.visibility !== 'archived'
  const isShared = includeGlobal === true && entry.visibility === 'global'
  if (!agents && !isAlive) return false
  const isOwn = isAlive && (agents?.includes(entry.agentId) === true || isShared)
  const isHeld = agents?.some(id => held.includes(`agent ${id}`)) || (includeGlobal && held.includes('all'))
  if (agents && !isOwn && !isHeld) return false
  if (filter.types && !filter.types.includes(entry.type)) return false
  if (filter.tags && !filter.tags.every(tag => entry.tags.includes(tag))) return false
  if (filter.who !== undefined && entry.who !== filter.who) return false
  const { projects, scope } = filter
  const isOf = (project: string) => entry.project === project || held.includes(`project ${project}`)
  if (projects && !projects.some(isOf)) return false
  const scopeLabel = scope === null ? 'scope' : `scope ${scope}`
  if (scope !== undefined && entry.scope !== scope && !held.includes(scopeLabel)) return false
  if (filter.pinned !== undefined && entry.pinned !== filter.pinned) return false
  if (filter.importanceMin !== undefined && entry.importance < filter.importanceMin) return false
  if (filter.since !== undefined && entry.createdAt < filter.since) return false
  return filter.until === undefined || entry.createdAt <= filter.until
}
