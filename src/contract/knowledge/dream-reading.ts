import { z } from 'zod'
import { name } from '../ground/fields.js'

/** Reasons come before what they are reasons for: a model writes fields in their order. */
const said = {
  reasoning: z.string().max(4000),
  /** Number of the text that says it. */
  text: z.int().min(1),
  /** Word for word, as it stands there. */
  quote: z.string().min(1).max(1000),
}
const sure = { confidence: z.number().min(0).max(1) }
/** `2026-01-31`, where the text says it. */
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .nullable()

/** One thing that a text says: those operations of the ontology that a reader may ask for (knowledge.md#operations). */
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
  /** The text takes the place of an older one. */
  z.object({ ...said, operation: z.literal('supersede_memory'), olderText: z.int().min(1), ...sure }),
])
export type Finding = z.infer<typeof finding>

/** What a model answers that reads texts for a pass. A finding that is none spoils no other. */
export const modelReading = z.object({
  findings: z.array(finding.catch(() => null as never)).max(200),
})
export type ModelReading = { findings: (Finding | null)[] }
