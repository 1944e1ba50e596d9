import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

/** The files of the web page: the same for everybody, so they need no credential (web.md). */
export const webPage = endpoint({
  method: 'GET',
  path: '/ui/*',
  summary: 'The files of the web page',
  permission: 'public',
  mutates: false,
  response: z.string(),
})
