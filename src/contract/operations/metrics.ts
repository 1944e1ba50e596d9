import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

export const metrics = endpoint({
  method: 'GET',
  path: '/metrics',
  summary: 'Counts and sizes of the daemon for Prometheus',
  permission: 'analytics',
  mutates: false,
  response: z.string(),
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
})
