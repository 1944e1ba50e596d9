import { z } from 'zod'
import { blastDirections } from '../knowledge/code-words.js'

const project = z.string().optional().describe('folder; default: the one worked in')
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

/** The text says it all; the data is what the API answers. */
export const codeOutput = z.looseObject({ project: z.string() })
