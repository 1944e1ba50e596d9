import type { Attention } from '../../../../store/tables/knowledge/attentions.js'
import { performOperation } from '../../ontology/perform-operation.js'
import { piecesOfMemories } from '../evidence/memories.js'
import { modeOf, type Pass, scopeOf } from '../pass/pass.js'
import type { Ended } from './ended.js'

/** So much of a memory stands in the proposal as its evidence. */
const quoted = 500

/**
 * A memory whose time of review has come is put before a person: to forget it, or, by rejecting that, to keep it. The
 * proposal and the end of the attention are one transaction, so that nobody is asked twice.
 * @returns undefined when it was ended so.
 */
export async function proposeReview(pass: Pass, attention: Attention): Promise<Ended | undefined> {
  const { id, agent_id: agentId, subject } = attention
  const pieces = await piecesOfMemories(pass.deps, [subject])
  const piece = pieces.find(one => one.agentId === agentId)?.piece
  if (!piece) return { state: 'empty' }
  const operation = {
    operation: 'forget_memory' as const,
    payload: { memory: subject },
    reason: 'it is to be reviewed: apply to forget it, reject to keep it',
    confidence: 0.5,
    evidence: [{ sourceKind: 'memory' as const, sourceId: subject, quote: piece.text.slice(0, quoted) }],
  }
  const scope = scopeOf(pass, agentId, piece.project)
  const done = { state: 'done' as const, detail: attention.detail }
  const { status } = await performOperation(pass.deps, scope, operation, modeOf(pass, false), {
    also: async ({ attentions }) => {
      await attentions.end(id, done, pass.deps.clock().toISOString())
    },
  })
  pass.counts.add(`operations.${status}`)
  pass.counts.add('by.review')
  pass.counts.add('attentions.done')
  return undefined
}
