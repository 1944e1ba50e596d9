import { z } from 'zod'
import { blastDirections } from '../knowledge/code-words.js'
import { integrityStatuses } from '../knowledge/ontology-explain.js'

const project = z.string().optional().describe('folder; default: the current one')
const symbol = z.string().min(1).describe('name, Class.method or path:name')

export const codeProjectInput = z.object({ project })
export const codeSearchInput = codeProjectInput.extend({
  query: z.string().min(1),
  top: z.number().default(10),
  file: z.string().optional().describe('part of the path'),
  debug: z.boolean().default(false),
})
export const codeContextInput = codeProjectInput.extend({ symbol })
export const codeBlastInput = codeProjectInput.extend({
  symbol,
  depth: z.number().default(3),
  direction: z.enum(blastDirections).default('backward'),
})
export const codeBriefingInput = codeProjectInput.extend({ compact: z.boolean().default(false) })
export const codeClearInput = codeProjectInput.extend({ confirm: z.boolean().default(false) })

/** The text is complete; the data is the API's reply. */
export const codeOutput = z.looseObject({ project: z.string() })

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
  session_key: z.string().meta({ accepts: 'key' }).optional(),
  agent_id: z.string().optional(),
})

/** Further fields of the endpoint are included. */
export const explainClaimOutput = z.looseObject({
  versions: z.array(z.looseObject({ value: z.string().nullable() })),
  integrity: z.looseObject({ status: z.enum(integrityStatuses) }),
})

export const aboutInput = z.object({ name: part })

/** The text is complete; further fields of the endpoint are included. */
export const aboutOutput = z.looseObject({ total: z.number() })

export const sourceSearchInput = z.object({
  query: z.string().min(1).describe('a question or keywords'),
  limit: z.number().default(10),
  source_id: z.string().meta({ accepts: 'key' }).optional(),
  kind: z.string().optional(),
  project: z.string().optional(),
  agent_id: z.string().optional(),
})

/** Further fields of the endpoint are included. */
export const sourceSearchOutput = z.looseObject({
  results: z.array(z.looseObject({ id: z.string(), content: z.string(), score: z.number() })),
  count: z.number(),
})
