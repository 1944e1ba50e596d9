import { z } from 'zod'

/** Id of a plugin or of a contribution. */
export const pluginId = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(
    /^[a-z0-9]+(?:[.-][a-z0-9]+)*$/u,
    'must be lower-case letters and digits in parts joined by . or -, such as acme.notes',
  )
export const capability = z
  .string()
  .trim()
  .max(100)
  .regex(
    /^[a-z][a-z0-9-]*:[a-z][a-z0-9-]*$/u,
    'must be two words separated by a colon, such as prompt:contribute',
  )

/** In the order of diagnostics (plugins.md 2). */
export const surfaceKinds = [
  'daemonRoutes',
  'cliCommands',
  'mcpTools',
  'dashboardPanels',
  'sdkClients',
  'connectorCapabilities',
  'promptContributions',
] as const
export type SurfaceKind = (typeof surfaceKinds)[number]

export const surface = z.object({ name: z.string().trim().min(1).max(200), capability })
export type Surface = z.infer<typeof surface>

/** Maximum surfaces per kind, and contributions, in one manifest. */
const maxEntries = 100
const surfaceList = z.array(surface).max(maxEntries)
const declaredSurfaces = z.object({
  daemonRoutes: surfaceList.default([]),
  cliCommands: surfaceList.default([]),
  mcpTools: surfaceList.default([]),
  dashboardPanels: surfaceList.default([]),
  sdkClients: surfaceList.default([]),
  connectorCapabilities: surfaceList.default([]),
})

/** Conditions for showing a contribution to a session. */
export const promptConditions = ['secret_stored'] as const
export type PromptCondition = (typeof promptConditions)[number]

const promptContribution = z.object({
  id: pluginId,
  target: z.literal('session-start'),
  /** Position relative to the general text about memory. */
  mode: z.enum(['prepend', 'append']),
  /** Higher priorities come first. */
  priority: z.number().min(-1000).max(1000).default(0),
  maxTokens: z.int().min(1).max(500),
  content: z.string().trim().min(1).max(4000),
  when: z.enum(promptConditions).optional(),
})

export const manifestFields = z.object({
  manifestVersion: z.literal(1),
  id: pluginId,
  name: z.string().trim().min(1).max(100),
  version: z.string().trim().min(1).max(100),
  description: z.string().trim().max(1000).default(''),
  author: z.string().trim().max(200).optional(),
  license: z.string().trim().max(100).optional(),
  homepage: z.string().trim().max(1000).optional(),
  capabilities: z.array(capability).max(maxEntries),
  surfaces: declaredSurfaces.prefault({}),
  promptContributions: z.array(promptContribution).max(maxEntries).default([]),
})
/** A plugin's manifest: static, and validated before it has any effect (plugins.md 2). */
export const pluginManifest = manifestFields.superRefine((manifest, { addIssue }) => {
  const { capabilities, surfaces, promptContributions } = manifest
  const needs = [
    ...Object.entries(surfaces).flatMap(([kind, list]) =>
      list.map((one, position) => ({ path: ['surfaces', kind, position], capability: one.capability })),
    ),
    ...promptContributions.map((_, position) => ({
      path: ['promptContributions', position],
      capability: 'prompt:contribute',
    })),
  ]
  for (const { path, capability: needed } of needs)
    if (!capabilities.includes(needed))
      addIssue({ code: 'custom', path, message: `needs ${needed}, which the manifest does not declare` })
  promptContributions.forEach(({ id }, position) => {
    if (promptContributions.findIndex(one => one.id === id) !== position)
      addIssue({
        code: 'custom',
        path: ['promptContributions', position],
        message: `the id ${id} occurs twice`,
      })
  })
})
export type PluginManifest = z.infer<typeof pluginManifest>

export const pluginStates = ['active', 'disabled', 'blocked', 'degraded'] as const
export type PluginState = (typeof pluginStates)[number]

/** The persistent state of a plugin. */
const registryEntry = z.object({
  enabled: z.boolean(),
  grantedCapabilities: z.array(capability).max(maxEntries),
  version: z.string().max(100),
  discoveredAt: z.string().max(40),
  updatedAt: z.string().max(40),
  /** Reason why it stays blocked until an administrator decides. */
  blockedBecause: z.string().max(2000).optional(),
  /** State last written to the audit log, so that a restart does not repeat it. */
  told: z.object({
    state: z.enum(pluginStates),
    /** Contribution id -> hash of its text. */
    contributions: z.record(z.string().max(300), z.string().max(64)),
  }),
})
export type RegistryEntry = z.infer<typeof registryEntry>

export const pluginRegistryFile = z.object({
  version: z.literal(1),
  plugins: z.record(pluginId, registryEntry),
})
export type PluginRegistryFile = z.infer<typeof pluginRegistryFile>

export const auditEvent = z.object({
  id: z.string().max(100),
  timestamp: z.string().max(40),
  event: z.string().max(100),
  pluginId: z.string().max(100),
  result: z.string().max(100),
  source: z.string().max(100),
  data: z.record(z.string(), z.unknown()),
})
export type AuditEvent = z.infer<typeof auditEvent>
