import type { z } from 'zod'
import type { diagnosePlugin, PluginRecord } from '../../../contract/agents/plugins.js'
import { endpoints } from '../../../contract/api.js'
import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import { type Surface, type SurfaceKind, surfaceKinds } from '../../../contract/platform/plugins.js'
import { tokensOf } from '../../ground/text/tokens.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { toolsOfPlugin } from '../../platform/mcp/plugin-tools.js'
import type { PromptPlan } from '../../platform/plugins/contributions.js'
import {
  declaredBy,
  grantedTo,
  mayUse,
  type Plugin,
  pendingOf,
  reasonOf,
  stateOf,
} from '../../platform/plugins/plugin.js'

type Surfaces = Record<SurfaceKind, Surface[]>

type Deps = Pick<Daemon, 'plugins'>

/** Converts a plugin to its API form (plugins.md 2). */
export function recordOf({ plugins }: Deps, plugin: Plugin): PluginRecord {
  const { id, bundled, manifest, entry } = plugin
  return {
    id,
    name: manifest?.name ?? id,
    version: manifest?.version ?? '',
    description: manifest?.description ?? '',
    bundled,
    state: stateOf(plugin),
    reason: reasonOf(plugin) ?? null,
    enabled: entry.enabled,
    declaredCapabilities: declaredBy(plugin),
    grantedCapabilities: grantedTo(plugin),
    pendingCapabilities: pendingOf(plugin),
    surfaces: surfacesOf(plugin, plugins.promptContributions()).active,
    discoveredAt: entry.discoveredAt,
    updatedAt: entry.updatedAt,
  }
}

/** Everything known about a plugin, without values of secrets. */
export function diagnosticsOf(deps: Deps, plugin: Plugin): z.input<typeof diagnosePlugin.response> {
  const plan = deps.plugins.promptContributions()
  const { active, planned } = surfacesOf(plugin, plan)
  const { promptContributions: declared = [], surfaces: _surfaces, ...manifest } = plugin.manifest ?? {}
  const leftOut = plan.leftOut.filter(({ pluginId }) => pluginId === plugin.id)
  return {
    plugin: recordOf(deps, plugin),
    manifest: 'id' in manifest ? manifest : null,
    activeSurfaces: active,
    plannedSurfaces: planned,
    promptContributions: plan.contributions.filter(({ pluginId }) => pluginId === plugin.id),
    promptDiagnostics: declared.map(({ id, content }) => {
      const reason = leftOut.find(one => one.id === id)?.reason ?? null
      return { id, included: reason === null, tokens: tokensOf(content), reason }
    }),
    validationErrors: [...plugin.problems],
  }
}

/** Splits a plugin's surfaces into those active now and those it only declares (plugins.md 2). */
function surfacesOf(plugin: Plugin, plan: PromptPlan): { active: Surfaces; planned: Surfaces } {
  const told = plan.contributions.filter(({ pluginId }) => pluginId === plugin.id).map(({ id }) => id)
  const isActive = (kind: SurfaceKind, { name, capability }: Surface): boolean =>
    mayUse(plugin, capability) && (kind !== 'promptContributions' || told.includes(name))
  const all = declaredSurfaces(plugin)
  const part = (isWanted: (kind: SurfaceKind, surface: Surface) => boolean): Surfaces =>
    Object.fromEntries(
      surfaceKinds.map(kind => [kind, all[kind].filter(surface => isWanted(kind, surface))]),
    ) as Surfaces
  return { active: part(isActive), planned: part((kind, surface) => !isActive(kind, surface)) }
}

/** Routes and tools of a bundled plugin are found by its id: a separate list would go out of date. */
function declaredSurfaces({ id, bundled, manifest }: Plugin): Surfaces {
  const none = Object.fromEntries(surfaceKinds.map(kind => [kind, []])) as unknown as Surfaces
  const contributions = manifest?.promptContributions ?? []
  return {
    ...none,
    ...manifest?.surfaces,
    ...(bundled && {
      daemonRoutes: routesOf(id),
      mcpTools: toolsOfPlugin(id).map(name => ({ name, capability: 'mcp:tools' })),
    }),
    promptContributions: contributions.map(one => ({ name: one.id, capability: 'prompt:contribute' })),
  }
}

function routesOf(id: string): Surface[] {
  return (endpoints as readonly EndpointShape[]).flatMap(({ method, path, plugin }) =>
    plugin?.id === id ? [{ name: `${method} ${path}`, capability: plugin.capability }] : [],
  )
}
