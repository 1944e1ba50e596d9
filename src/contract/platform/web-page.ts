import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

/** Files of the web page, which are the same for everyone and need no credential (web.md). */
export const webPage = endpoint({
  method: 'GET',
  path: '/ui/*',
  summary: 'Get a file of the web page',
  permission: 'public',
  mutates: false,
  response: z.string(),
})
