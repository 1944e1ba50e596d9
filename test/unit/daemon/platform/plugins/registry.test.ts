import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { reasonOf, stateOf } from '../../../../../src/daemon/platform/plugins/plugin.js'
import type { Plugins } from '../../../../../src/daemon/platform/plugins/plugins.js'
import { addPlugin, contribution, openPlugins } from '../../../../helpers/plugins.js'

const administrator = { source: 'api' }

function pluginIn(plugins: Plugins, id: string) {
  const plugin = plugins.find(id)
  if (!plugin) throw new Error(`${id} is not there`)
  return plugin
}

/** Returns the names of the audit events of a plugin, oldest first. */
async function auditEventsOf(plugins: Plugins, pluginId: string): Promise<string[]> {
  const events = await plugins.readAudit({ pluginId, limit: 500 })
  return events.map(({ event }) => event).toReversed()
}

async function reopened(
  t: ExecutionContext,
  before: { plugins: Plugins; paths: { root: string } },
  version?: string,
) {
  await before.plugins.close()
  return openPlugins(t, { workspace: before.paths.root, ...(version && { version }) })
}

test('a broken registry is renamed, and enables no plugin again', async t => {
  const first = await openPlugins(t)
  await first.plugins.change(pluginIn(first.plugins, 'service.secrets'), { enabled: false }, administrator)
  const file = first.paths.pluginRegistry
  writeFileSync(file, '{"version":1,"plug')
  const { plugins, paths } = await reopened(t, first)
  const secrets = pluginIn(plugins, 'service.secrets')
  t.is(stateOf(secrets), 'blocked')
  const aside = readdirSync(dirname(file)).find(name => name.includes('.broken-')) ?? ''
  t.is(reasonOf(secrets), `the plugin registry was damaged and set aside as ${aside}`)
  t.is(readFileSync(join(dirname(file), aside), 'utf8'), '{"version":1,"plug')
  t.true((await auditEventsOf(plugins, 'service.secrets')).includes('plugin.blocked'))
  const again = await reopened(t, { plugins, paths })
  t.is(stateOf(pluginIn(again.plugins, 'service.secrets')), 'blocked')
})

test('a decision on a plugin ends its block by a broken registry', async t => {
  const first = await openPlugins(t)
  writeFileSync(first.paths.pluginRegistry, 'null and void')
  const { plugins } = await reopened(t, first)
  const enabled = await plugins.change(pluginIn(plugins, 'service.secrets'), { enabled: true }, administrator)
  t.is(stateOf(enabled), 'active')
  t.true(plugins.allows({ id: 'service.secrets', capability: 'secrets:list' }))
})

test('a registry of another format and a folder in its place are renamed too', async t => {
  for (const spoil of [
    (file: string) => writeFileSync(file, '{"version":2,"plugins":{}}'),
    (file: string) => {
      rmSync(file)
      addPlugin({ plugins: dirname(file) }, 'registry.json')
    },
  ]) {
    const first = await openPlugins(t)
    spoil(first.paths.pluginRegistry)
    const { plugins } = await reopened(t, first)
    t.is(stateOf(pluginIn(plugins, 'service.secrets')), 'blocked')
  }
})

test('a capability declared by a later version waits for a grant', async t => {
  const first = await openPlugins(t)
  const { pluginRegistry } = first.paths
  const registry = JSON.parse(readFileSync(pluginRegistry, 'utf8'))
  const granted = registry.plugins['service.secrets'].grantedCapabilities
  registry.plugins['service.secrets'].grantedCapabilities = granted.filter(
    (one: string) => one !== 'secrets:store',
  )
  await first.plugins.close()
  writeFileSync(pluginRegistry, JSON.stringify(registry))
  const { plugins } = await reopened(t, first, '2.0.0')
  const use = { id: 'service.secrets', capability: 'secrets:store' } as const
  t.false(plugins.allows(use))
  await plugins.change(pluginIn(plugins, 'service.secrets'), { grant: ['secrets:store'] }, administrator)
  t.true(plugins.allows(use))
})

test('a grant of a capability no longer declared is void', async t => {
  const { plugins, paths } = await openPlugins(t)
  addPlugin(paths, 'acme.notes', {
    capabilities: ['prompt:contribute'],
    promptContributions: [contribution('a')],
  })
  await plugins.refresh()
  await plugins.change(
    pluginIn(plugins, 'acme.notes'),
    { enabled: true, grant: ['prompt:contribute'] },
    administrator,
  )
  addPlugin(paths, 'acme.notes', { version: '2.0.0' })
  await plugins.refresh()
  t.deepEqual(
    plugins.promptContributions().contributions.filter(({ pluginId }) => pluginId === 'acme.notes'),
    [],
  )
  t.deepEqual((await auditEventsOf(plugins, 'acme.notes')).at(-1), 'prompt.contribution_removed')
})

test('a plugin whose folder is gone loses its grants, and the audit log records it', async t => {
  const { plugins, paths } = await openPlugins(t)
  addPlugin(paths, 'acme.notes', { capabilities: ['prompt:contribute'] })
  await plugins.refresh()
  await plugins.change(
    pluginIn(plugins, 'acme.notes'),
    { enabled: true, grant: ['prompt:contribute'] },
    administrator,
  )
  rmSync(join(paths.plugins, 'acme.notes'), { recursive: true })
  await plugins.refresh()
  t.is(plugins.find('acme.notes'), undefined)
  t.is((await auditEventsOf(plugins, 'acme.notes')).at(-1), 'plugin.disabled')
  addPlugin(paths, 'acme.notes', { capabilities: ['prompt:contribute'] })
  await plugins.refresh()
  t.is(stateOf(pluginIn(plugins, 'acme.notes')), 'disabled')
})

test('a plugin that reports a problem is degraded, keeps answering, and recovers', async t => {
  let problem: string | undefined = 'the store is damaged'
  const { plugins } = await openPlugins(t, { checks: { 'service.secrets': async () => problem } })
  await plugins.checkHealth()
  await plugins.checkHealth()
  const broken = pluginIn(plugins, 'service.secrets')
  t.deepEqual([stateOf(broken), reasonOf(broken)], ['degraded', 'the store is damaged'])
  t.true(plugins.allows({ id: 'service.secrets', capability: 'secrets:list' }))
  problem = undefined
  await plugins.checkHealth()
  t.is(stateOf(pluginIn(plugins, 'service.secrets')), 'active')
  t.deepEqual((await auditEventsOf(plugins, 'service.secrets')).slice(2), [
    'plugin.health_failed',
    'plugin.degraded',
    'plugin.enabled',
  ])
})

test('a folder with the id of a bundled plugin changes nothing', async t => {
  const { plugins, paths } = await openPlugins(t)
  addPlugin(paths, 'service.secrets', { name: 'Thief' })
  await plugins.refresh()
  t.is(pluginIn(plugins, 'service.secrets').manifest?.name, 'Secrets')
  t.is(plugins.list().length, 2)
})

for (const [what, fields, problem] of [
  [
    'another id than its folder',
    { id: 'acme.other' },
    /has the id acme\.other, but its folder is acme\.notes/u,
  ],
  [
    'a surface without its capability',
    { surfaces: { sdkClients: [{ name: 'a', capability: 'a:b' }] } },
    /needs a:b/u,
  ],
  [
    'a contribution without the capability',
    { promptContributions: [contribution('a')] },
    /needs prompt:contribute/u,
  ],
  [
    'a duplicate contribution id',
    { capabilities: ['prompt:contribute'], promptContributions: [contribution('a'), contribution('a')] },
    /the id a occurs twice/u,
  ],
] as const)
  test(`a manifest with ${what} blocks its plugin`, async t => {
    const { plugins, paths } = await openPlugins(t)
    addPlugin(paths, 'acme.notes', fields)
    await plugins.refresh()
    t.is(stateOf(pluginIn(plugins, 'acme.notes')), 'blocked')
    t.regex(reasonOf(pluginIn(plugins, 'acme.notes')) ?? '', problem)
  })
