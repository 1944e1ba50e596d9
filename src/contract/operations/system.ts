import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { pipelineModes } from '../ground/wire-names.js'
import { healthFigure } from './diagnostics-domains.js'

export const health = endpoint({
  method: 'GET',
  path: '/health',
  summary: 'Check that the daemon is alive',
  permission: 'public',
  mutates: false,
  response: z.object({
    status: z.literal('healthy'),
    version: z.string(),
    /** 0 for callers from another machine. */
    pid: z.int(),
    /** Seconds since start. */
    uptime: z.number(),
    port: z.int(),
    /** Folder of the workspace; empty for a caller of another user or machine. */
    workspace: z.string(),
    /** The figure of health as it was last computed; absent before that, and for another machine or user. */
    health: healthFigure.omit({ warnings: true }).optional(),
  }),
})

const check = z.object({ ok: z.boolean(), detail: z.string().optional() })

export const ready = endpoint({
  method: 'GET',
  path: '/health/ready',
  summary: 'Check that the daemon can serve all requests',
  permission: 'public',
  mutates: false,
  response: z.object({
    ready: z.boolean(),
    checks: z.object({ database: check, index: check, embedding: check, migrations: check }),
  }),
})
export type Readiness = z.infer<typeof ready.response>

export const status = endpoint({
  method: 'GET',
  path: '/api/status',
  summary: 'Get the state of the daemon',
  permission: 'diagnostics',
  mutates: false,
  response: z.object({
    version: z.string(),
    /** 0 for callers from another machine. */
    pid: z.int(),
    uptime: z.number(),
    startedAt: z.string(),
    host: z.string(),
    port: z.int(),
    /** Empty for callers from another machine. */
    workspace: z.string(),
    pipeline: z.object({
      mode: z.enum(pipelineModes),
      mutationsFrozen: z.boolean(),
    }),
    embedding: z.object({
      provider: z.string(),
      model: z.string(),
      dimensions: z.int().nullable(),
      available: z.boolean(),
      state: z.string(),
      error: z.string().optional(),
      /** Runtime of a local model, once it was loaded. */
      runtime: z.enum(['native', 'wasm']).optional(),
      progress: z
        .object({ loadedBytes: z.number(), totalBytes: z.number().nullable(), file: z.string() })
        .optional(),
      withoutVector: z.int(),
    }),
    index: z.object({
      documents: z.int(),
      vectors: z.int(),
      terms: z.int(),
      bytes: z.int(),
      change: z.int(),
      state: z.enum(['ready', 'rebuilding']),
      /** Seconds that it is behind other daemons of its database; absent while it follows them. */
      behindSeconds: z.int().optional(),
    }),
    storage: z.object({
      /** False while the disk is full or refuses writes: they return 507, reads work. */
      writable: z.boolean(),
      problem: z.string().optional(),
      /** Schema, database and host of a database on a server. */
      server: z.string().optional(),
      /** Known damage of the database, one line each. */
      damage: z.array(z.string()),
    }),
    /** The daemons that share the database; absent for one that serves alone. */
    nodes: z
      .array(
        z.object({
          name: z.string(),
          version: z.string(),
          url: z.string(),
          startedAt: z.string(),
          /** Its last heartbeat, by its own clock. */
          seenAt: z.string(),
          /** The change number up to which its index was at that time. */
          applied: z.int(),
          /** Since when it ends, while it may still answer. */
          stoppingSince: z.string().optional(),
          /** The number of jobs that it does now. */
          jobs: z.int(),
          /** The periodic works that it does. */
          duties: z.array(z.string()),
        }),
      )
      .optional(),
    health: healthFigure,
    memories: z.int(),
    bypassedSessions: z.int(),
    /** Unknown keys of agent.yaml, and invalid values that are ignored. */
    settingsProblems: z.array(z.string()),
  }),
})

export const openapi = endpoint({
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get this API as OpenAPI 3.1',
  permission: 'authenticated',
  mutates: false,
  response: z.record(z.string(), z.unknown()),
})

export const docs = endpoint({
  method: 'GET',
  path: '/docs',
  summary: 'Get this API as a readable page',
  permission: 'authenticated',
  mutates: false,
  response: z.string(),
  contentType: 'text/html; charset=utf-8',
})

export const pullModel = endpoint({
  method: 'POST',
  path: '/api/embedding/pull',
  summary: 'Download the embedding model in the background',
  permission: 'admin',
  mutates: false,
  success: 202,
  response: z.object({ state: z.string() }),
})

export const shutdown = endpoint({
  method: 'POST',
  path: '/api/daemon/shutdown',
  summary: 'Stop the daemon once running work has finished',
  permission: 'admin',
  mutates: false,
  success: 202,
  response: z.object({ status: z.literal('stopping') }),
})

export const metrics = endpoint({
  method: 'GET',
  path: '/metrics',
  summary: 'Get metrics of the daemon for Prometheus',
  permission: 'analytics',
  mutates: false,
  response: z.string(),
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
})
