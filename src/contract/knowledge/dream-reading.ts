import { z } from 'zod'
import { name } from '../ground/fields.js'

/** Fields of every finding. Reasons come first, because a model writes fields in order. */
const said = {
  reasoning: z.string().max(4000),
  /** Number of the source text. */
  text: z.int().min(1),
  /** A verbatim quote. */
  quote: z.string().min(1).max(1000),
}
const sure = { confidence: z.number().min(0).max(1) }
/** `2026-01-31`, if the text contains the date. */
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .nullable()

/** A finding in a text: one of the ontology operations allowed for a reader (knowledge.md#operations). */
const finding = z.discriminatedUnion('operation', [
  z.object({ ...said, operation: z.literal('create_entity'), name, type: name, ...sure }),
  z.object({ ...said, operation: z.literal('add_alias'), entity: name, alias: name, ...sure }),
  z.object({
    ...said,
    operation: z.literal('assert_claim'),
    entity: name,
    aspect: name,
    claim: name,
    value: z.string().min(1).max(1000),
    validFrom: day,
    validUntil: day,
    ...sure,
  }),
  z.object({ ...said, operation: z.literal('link'), from: name, relation: name, to: name, ...sure }),
  /** The text replaces an older one. */
  z.object({ ...said, operation: z.literal('supersede_memory'), olderText: z.int().min(1), ...sure }),
])
export type Finding = z.infer<typeof finding>

/** A model's reply with findings in texts. Invalid findings are dropped one by one. */
export const modelReading = z.object({
  findings: z.array(finding.catch(() => null as never)).max(200),
})
export type ModelReading = { findings: (Finding | null)[] }
