import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

/** Title of the window; control characters would break it. */
const title = z
  .string()
  .trim()
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must be one line without control characters')
  .nullish()

const pickBody = z.object({ title }).default({})

export const pickFiles = endpoint({
  method: 'POST',
  path: '/api/sources/pick-files',
  summary: 'Let the user of this machine choose files to import',
  permission: 'modify',
  mutates: false,
  maxInFlight: 1,
  body: pickBody,
  /** Absolute paths; empty when the window was closed. */
  response: z.object({ paths: z.array(z.string()) }),
})

export const pickDirectory = endpoint({
  method: 'POST',
  path: '/api/sources/pick-directory',
  summary: 'Let the user of this machine choose a folder',
  permission: 'modify',
  mutates: false,
  maxInFlight: 1,
  body: pickBody,
  /** Absolute path; null when the window was closed. */
  response: z.object({ path: z.string().nullable() }),
})
