import type { FastifyRequest } from 'fastify'
import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import type { PluginUse } from '../../../contract/ground/plugin-capabilities.js'
import { mcpActor } from '../../../contract/mcp/actor.js'
import type { Daemon } from '../daemon/daemon.js'
import { callerOf } from './caller.js'

/**
 * Rejects a route of a disabled plugin, or of one without the needed capability, before any other check
 * (plugins.md 1). An MCP tool also needs the capability for tools.
 * @throws AppError `plugin_capability_denied`
 */
export function assertPluginAllows(
  { plugins }: Pick<Daemon, 'plugins'>,
  { plugin, method, path }: EndpointShape,
  request: FastifyRequest,
): void {
  if (!plugin) return
  const asking = { actor: callerOf(request).actor, route: `${method} ${path}` }
  plugins.assertAllowed(plugin, asking)
  if (request.headers['x-service-actor'] === mcpActor)
    plugins.assertAllowed({ id: plugin.id, capability: 'mcp:tools' } satisfies PluginUse, asking)
}
