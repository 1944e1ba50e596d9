import test, { type ExecutionContext } from 'ava'
import { z } from 'zod'
import { endpoint } from '../../../../../src/contract/ground/endpoint.js'
import type { PluginUse } from '../../../../../src/contract/ground/plugin-capabilities.js'
import { bind, route } from '../../../../../src/daemon/platform/http/bind.js'
import type { Plugins } from '../../../../../src/daemon/platform/plugins/plugins.js'
import { openApp } from '../../../../helpers/bare-app.js'
import { openPlugins } from '../../../../helpers/plugins.js'
import { servingDaemon } from '../../../../helpers/serving-daemon.js'

const administrator = { source: 'api' }

/** Calls a route of a plugin, with a valid and with an invalid body. */
async function ask(plugins: Plugins, plugin: PluginUse, headers: Record<string, string> = {}) {
  const app = openApp()
  const shape = endpoint({
    method: 'POST',
    path: '/pond',
    summary: 'A pond',
    permission: 'recall',
    plugin,
    mutates: false,
    body: z.object({ name: z.string() }),
    response: z.object({ ok: z.boolean() }),
  })
  const daemon = servingDaemon({ plugins })
  bind(
    app,
    async () => daemon,
    route(shape, async () => ({ ok: true })),
  )
  const reply = await app.inject({ method: 'POST', url: '/pond', headers, payload: { name: 'a' } })
  const faulty = await app.inject({ method: 'POST', url: '/pond', headers, payload: {} })
  return { status: reply.statusCode, body: reply.json(), faulty: faulty.statusCode }
}

async function change(t: ExecutionContext, fields: object) {
  const { plugins } = await openPlugins(t)
  const plugin = plugins.find('service.secrets')
  if (plugin) await plugins.change(plugin, fields, administrator)
  return plugins
}

test('a route of an active plugin answers normally', async t => {
  const { plugins } = await openPlugins(t)
  const { status, faulty } = await ask(plugins, { id: 'service.secrets', capability: 'secrets:list' })
  t.deepEqual([status, faulty], [200, 400])
})

test('a route of a disabled plugin is denied before its body is checked', async t => {
  const plugins = await change(t, { enabled: false })
  const { status, body, faulty } = await ask(plugins, { id: 'service.secrets', capability: 'secrets:list' })
  t.deepEqual([status, faulty], [403, 403])
  t.like(body, {
    code: 'plugin_capability_denied',
    error: 'the plugin service.secrets is disabled: memory plugins enable service.secrets',
    details: { pluginId: 'service.secrets', capability: 'secrets:list', state: 'disabled' },
  })
})

test('a route with a revoked capability is denied, other routes continue', async t => {
  const plugins = await change(t, { revoke: ['secrets:exec'] })
  const exec = await ask(plugins, { id: 'service.secrets', capability: 'secrets:exec' })
  const list = await ask(plugins, { id: 'service.secrets', capability: 'secrets:list' })
  t.deepEqual([exec.status, list.status], [403, 200])
  t.regex(
    exec.body.error,
    /lacks the capability secrets:exec: memory plugins grant service.secrets secrets:exec/u,
  )
})

test('MCP tools need a grant of their own besides that of the route', async t => {
  const plugins = await change(t, { revoke: ['mcp:tools'] })
  const use = { id: 'service.secrets', capability: 'secrets:list' } as const
  const tool = await ask(plugins, use, { 'x-service-actor': 'mcp-server' })
  t.is(tool.status, 403)
  t.like(tool.body.details, { capability: 'mcp:tools' })
  t.is((await ask(plugins, use)).status, 200)
})

test('the code index is disabled by default', async t => {
  const { plugins } = await openPlugins(t)
  const use = { id: 'service.codeindex', capability: 'code:read' } as const
  t.is((await ask(plugins, use)).status, 403)
  const plugin = plugins.find('service.codeindex')
  if (plugin) await plugins.change(plugin, { enabled: true }, administrator)
  t.is((await ask(plugins, use)).status, 200)
})
