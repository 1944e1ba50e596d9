import type { Attention } from '../../../../store/tables/knowledge/attentions.js'
import { breathe, type Pass, PassStopped } from '../pass/pass.js'
import type { Ended } from './ended.js'
import { proposeMerges } from './propose-merges.js'
import { proposeReview } from './propose-review.js'
import { readNamed } from './read-named.js'
import { lookAtUnsupported } from './unsupported.js'

const batchRows = 200
const maxAttempts = 5
const firstDelayMs = 60_000

/**
 * Looks at attentions that wait, oldest first (knowledge.md#attentions). Each comes to an end: an attempt is counted
 * before it is made, so that a look that ends the daemon is made so often at most, and each further one waits twice as
 * long by the clock.
 */
export async function lookAtAttentions(pass: Pass, { hasUnread }: { hasUnread: boolean }): Promise<void> {
  const { attentions } = pass.deps.store.tables
  for (const attention of await attentions.due(pass.deps.clock().toISOString(), batchRows)) {
    await breathe(pass)
    pass.counts.add('attentions')
    if (attention.attempts >= maxAttempts) {
      await end(pass, attention, { state: 'failed' })
      continue
    }
    if (attention.kind === 'new_evidence' && attention.subject_kind === 'source' && hasUnread) continue
    await begin(pass, attention)
    try {
      const ended = await look(pass, attention)
      if (ended) await end(pass, attention, ended)
    } catch (error) {
      if (error instanceof PassStopped) throw error
      pass.deps.log.warn({ err: error, kind: attention.kind }, 'attention not looked at, will be again')
      pass.counts.add('attentions.retried')
    }
  }
}

/** @returns undefined when it was ended together with what it led to. */
async function look(pass: Pass, attention: Attention): Promise<Ended | undefined> {
  switch (attention.kind) {
    case 'new_evidence':
      return readNamed(pass, attention)
    case 'review_due':
      return attention.subject_kind === 'memory'
        ? proposeReview(pass, attention)
        : lookAtUnsupported(pass, attention)
    case 'hygiene':
      return proposeMerges(pass, attention.agent_id)
    case 'contradiction':
      return contested(pass, attention)
    default:
      return lookAtUnsupported(pass, attention)
  }
}

/** A contested value is a person's to decide; rules know no better. */
async function contested({ deps }: Pass, { subject }: Attention): Promise<Ended> {
  const waiting = await deps.store.tables.claims.standing(subject, ['contested'])
  return waiting.length === 0 ? { state: 'empty' } : { state: 'declined', detail: 'a person decides' }
}

async function begin({ deps: { store, clock } }: Pass, { id, attempts }: Attention): Promise<void> {
  const now = clock()
  const next = new Date(now.getTime() + firstDelayMs * 2 ** attempts).toISOString()
  await store.transaction(tables => tables.attentions.begin(id, next, now.toISOString()))
}

async function end({ deps, counts }: Pass, { id, detail }: Attention, ended: Ended): Promise<void> {
  await deps.store.transaction(tables =>
    tables.attentions.end(
      id,
      { state: ended.state, detail: ended.detail ?? detail },
      deps.clock().toISOString(),
    ),
  )
  counts.add(`attentions.${ended.state}`)
}
