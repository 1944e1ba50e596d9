import { endpoints } from '../../../contract/api.js'
import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import { type Surface, type SurfaceKind, surfaceKinds } from '../../../contract/platform/plugins.js'
import { toolsOfPlugin } from '../../platform/mcp/plugin-tools.js'
import type { PromptPlan } from '../../platform/plugins/contributions.js'
import { mayUse, type Plugin } from '../../platform/plugins/plugin.js'

export type Surfaces = Record<SurfaceKind, Surface[]>

/** Where a plugin shows: what is there now, and what it declares beyond that (plugins.md 2). */
export function surfacesOf(plugin: Plugin, plan: PromptPlan): { active: Surfaces; planned: Surfaces } {
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

/** Routes and tools of a bundled plugin are those that name it: a list beside them would go out of date. */
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
