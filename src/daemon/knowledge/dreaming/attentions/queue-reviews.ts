import { firstHolder } from '../../../../store/tables/memory/holders.js'
import { breathe, type DreamingPass } from '../pass/pass.js'

const batchRows = 100

/** Adds an attention for each memory whose review is due (rules.md 4.3), once per agent that holds it. */
export async function queueReviews(pass: DreamingPass): Promise<void> {
  const { store, clock, newId } = pass.deps
  const { meta, memories, holders } = store.tables
  const now = clock().toISOString()
  for (;;) {
    await breathe(pass)
    const [time = '', id = ''] = ((await meta.placeOf('dream-reviews')) ?? '').split(' ')
    const due = await memories.dueForReview({ time, id }, now, batchRows)
    const last = due.at(-1)
    if (!last) return
    const ids = due.map(row => row.id)
    const rows = await memories.load(ids)
    const further = await holders.of(ids)
    await store.transaction(async tables => {
      for (const row of rows) {
        const all = [firstHolder(row), ...(further.get(row.id) ?? [])]
        for (const agent_id of new Set(all.map(holder => holder.agent_id)))
          await tables.attentions.add({
            id: newId(),
            agent_id,
            subject_kind: 'memory',
            subject: row.id,
            kind: 'review_due',
            detail: row.review_after,
            created_at: now,
          })
      }
      await tables.meta.notePlace('dream-reviews', `${last.review_after} ${last.id}`)
    })
  }
}
