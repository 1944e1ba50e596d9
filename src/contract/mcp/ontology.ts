import { z } from 'zod'
import { integrityStatuses } from '../knowledge/ontology-explain.js'

const part = z.string().min(1)
const limit = (max: number, usual: number) => z.number().int().min(1).max(max).default(usual)

export const explainClaimInput = z.object({
  entity: part,
  aspect: part,
  group: part.describe('usually general'),
  claim: part,
  kind: z.enum(['attribute', 'constraint']).optional(),
  version_limit: limit(50, 20),
  premise_limit: limit(100, 50),
  reverse_limit: limit(100, 50),
  max_depth: z.number().int().min(0).max(3).default(3),
  session_key: z.string().optional(),
  agent_id: z.string().optional(),
})

/** What else the endpoint tells comes along. */
export const explainClaimOutput = z.looseObject({
  versions: z.array(z.looseObject({ value: z.string().nullable() })),
  integrity: z.looseObject({ status: z.enum(integrityStatuses) }),
})
