import type { FastifyRequest } from 'fastify'
import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import type { PluginUse } from '../../../contract/ground/plugin-capabilities.js'
import { mcpActor } from '../../../contract/mcp/actor.js'
import type { Daemon } from '../daemon/daemon.js'
import { callerOf } from './caller.js'

/**
 * Refuses a route of a plugin that is off or was not granted what the route does, before the request is judged in any
 * other way (plugins.md 1). A tool of MCP needs the grant for tools as well.
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
