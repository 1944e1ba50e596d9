import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, name, queryInt, staysAt, timestamp } from '../ground/fields.js'
import {
  auditEvent,
  capability,
  manifestFields,
  pluginStates,
  type SurfaceKind,
  surface,
  surfaceKinds,
} from '../platform/plugins.js'

const surfaces = z.record(z.enum(surfaceKinds), z.array(surface)) satisfies z.ZodType<
  Record<SurfaceKind, unknown>
>

/** A plugin in the registry (plugins.md 2). */
const pluginSchema = z.object({
  id: z.string(),
  name: z.string(),
  version: z.string(),
  description: z.string(),
  /** Bundled with the daemon. */
  bundled: z.boolean(),
  state: z.enum(pluginStates),
  /** The reason it is blocked or degraded; null otherwise. */
  reason: z.string().nullable(),
  enabled: z.boolean(),
  declaredCapabilities: z.array(z.string()),
  grantedCapabilities: z.array(z.string()),
  /** Declared but not granted. */
  pendingCapabilities: z.array(z.string()),
  /** Surfaces active with the present grants. */
  surfaces,
  discoveredAt: z.string(),
  updatedAt: z.string(),
})
export type PluginRecord = z.infer<typeof pluginSchema>

const promptContribution = z.object({
  id: z.string(),
  pluginId: z.string(),
  target: z.string(),
  mode: z.enum(['prepend', 'append']),
  priority: z.number(),
  maxTokens: z.int(),
  content: z.string(),
  /** Condition for showing it to a session. */
  when: z.string().optional(),
})

export const listPlugins = endpoint({
  method: 'GET',
  path: '/api/plugins',
  summary: 'List plugins',
  permission: 'diagnostics',
  mutates: false,
  response: z.object({ plugins: z.array(pluginSchema), stays: staysAt.optional() }),
})

export const listPromptContributions = endpoint({
  method: 'GET',
  path: '/api/plugins/prompt-contributions',
  summary: 'List the instructions that plugins add to sessions, in order',
  permission: 'diagnostics',
  mutates: false,
  response: z.object({ contributions: z.array(promptContribution), activeCount: z.int() }),
})

export const readPluginAudit = endpoint({
  method: 'GET',
  path: '/api/plugins/audit',
  summary: 'List the audit log of plugins, newest first',
  permission: 'diagnostics',
  mutates: false,
  query: z.object({
    pluginId: id.optional(),
    event: name.optional(),
    since: timestamp.optional(),
    until: timestamp.optional(),
    limit: queryInt({ min: 1, max: 500 }).default(100),
  }),
  response: z.object({ events: z.array(auditEvent), count: z.int() }),
})

export const getPlugin = endpoint({
  method: 'GET',
  path: '/api/plugins/:id',
  perDaemon: ['not_found'],
  summary: 'Get a plugin',
  permission: 'diagnostics',
  mutates: false,
  params: z.object({ id }),
  response: pluginSchema,
})

export const diagnosePlugin = endpoint({
  method: 'GET',
  path: '/api/plugins/:id/diagnostics',
  perDaemon: ['not_found'],
  summary: 'Get a plugin with its manifest, its active parts, and why others are inactive',
  permission: 'diagnostics',
  mutates: false,
  params: z.object({ id }),
  response: z.object({
    plugin: pluginSchema,
    /** Without surfaces and contributions, which follow; null when the manifest is invalid. */
    manifest: manifestFields.omit({ surfaces: true, promptContributions: true }).nullable(),
    activeSurfaces: surfaces,
    plannedSurfaces: surfaces,
    promptContributions: z.array(promptContribution),
    promptDiagnostics: z.array(
      z.object({ id: z.string(), included: z.boolean(), tokens: z.int(), reason: z.string().nullable() }),
    ),
    validationErrors: z.array(z.string()),
  }),
})

const changeList = z.array(capability).max(100)

export const changePlugin = endpoint({
  method: 'PATCH',
  path: '/api/plugins/:id',
  perDaemon: ['not_found'],
  summary: 'Enable or disable a plugin, grant or revoke its capabilities',
  permission: 'admin',
  // An administrative control, not a write of memories (rules.md#kill-switch).
  mutates: false,
  bucket: 'admin',
  params: z.object({ id }),
  body: z
    .object({ enabled: z.boolean().optional(), grant: changeList.optional(), revoke: changeList.optional() })
    .refine(({ enabled, grant, revoke }) => enabled !== undefined || grant?.length || revoke?.length, {
      error: 'name what to change: enabled (true or false), grant or revoke (lists of capabilities)',
    }),
  response: pluginSchema,
})
