import * as contract from '../../../contract/agents/plugins.js'
import { notFound } from '../../../contract/ground/errors.js'
import { quoted } from '../../../lib/text/clip.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { staysHere } from '../../platform/nodes/held-work.js'
import type { Plugin } from '../../platform/plugins/plugin.js'
import { diagnosticsOf, recordOf } from './plugin-record.js'

type Deps = Pick<Daemon, 'plugins'>

export const routes = [
  route(contract.listPlugins, async daemon => {
    await refreshPlugins(daemon)
    const plugins = daemon.plugins.list().map(plugin => recordOf(daemon, plugin))
    return { plugins, stays: await staysHere(daemon) }
  }),
  route(contract.listPromptContributions, async daemon => {
    await daemon.plugins.refresh()
    const { contributions } = daemon.plugins.promptContributions()
    return { contributions: [...contributions], activeCount: contributions.length }
  }),
  route(contract.readPluginAudit, async (daemon, { query }) => {
    const events = await daemon.plugins.readAudit(query)
    return { events, count: events.length }
  }),
  route(contract.getPlugin, async (daemon, { params }) =>
    recordOf(daemon, await requirePlugin(daemon, params.id)),
  ),
  route(contract.diagnosePlugin, async (daemon, { params }) =>
    diagnosticsOf(daemon, await requirePlugin(daemon, params.id)),
  ),
  route(contract.changePlugin, async (daemon, { caller: { actor, peer }, params, body }) => {
    const plugin = await requirePlugin(daemon, params.id)
    const changed = await daemon.plugins.change(plugin, body, { source: 'api', data: { actor, peer } })
    return recordOf(daemon, changed)
  }),
]

/** @throws AppError `not_found` */
async function requirePlugin(daemon: Deps, id: string): Promise<Plugin> {
  await refreshPlugins(daemon)
  const plugin = daemon.plugins.find(id)
  if (plugin) return plugin
  throw notFound(`plugin ${quoted(id)} not found`, 'list them with memory plugins list')
}

async function refreshPlugins({ plugins }: Deps): Promise<void> {
  await plugins.refresh()
  await plugins.checkHealth()
}
