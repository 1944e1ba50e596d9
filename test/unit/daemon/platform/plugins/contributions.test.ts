import test, { type ExecutionContext } from 'ava'
import { pluginManifest } from '../../../../../src/contract/platform/plugins.js'
import { bundledPlugins } from '../../../../../src/daemon/platform/plugins/bundled.js'
import { scanContent } from '../../../../../src/daemon/safety/scan.js'
import { addPlugin, contribution, openPlugins } from '../../../../helpers/plugins.js'

const administrator = { source: 'api' }

/** A plugin with these contributions that may make them. */
async function contributing(t: ExecutionContext, ...contributions: object[]) {
  const { plugins, paths } = await openPlugins(t)
  addPlugin(paths, 'acme.notes', { capabilities: ['prompt:contribute'], promptContributions: contributions })
  await plugins.refresh()
  const plugin = plugins.find('acme.notes')
  if (!plugin) throw new Error('acme.notes was not found')
  await plugins.change(plugin, { enabled: true, grant: ['prompt:contribute'] }, administrator)
  const { contributions: taken, leftOut } = plugins.promptContributions()
  return {
    plugins,
    taken: taken.filter(({ pluginId }) => pluginId === 'acme.notes').map(({ id }) => id),
    leftOut,
  }
}

test('contributions come by priority, the highest first, and then by id', async t => {
  const { taken } = await contributing(
    t,
    contribution('c', { priority: 5 }),
    contribution('b'),
    contribution('a'),
    contribution('d', { priority: 7 }),
  )
  t.deepEqual(taken, ['d', 'c', 'a', 'b'])
})

test('a contribution with more tokens than it says is left out', async t => {
  const { taken, leftOut } = await contributing(t, contribution('a', { maxTokens: 5 }))
  t.deepEqual(taken, [])
  t.regex(
    leftOut.find(({ id }) => id === 'a')?.reason ?? '',
    /has 10 tokens and says of itself that it has 5/u,
  )
})

test('all contributions together have 1000 tokens at most, and a shorter one behind may still fit', async t => {
  const long = { maxTokens: 500, content: 'word '.repeat(399) }
  const { taken, leftOut } = await contributing(
    t,
    contribution('a', { ...long, priority: 3 }),
    contribution('b', { ...long, priority: 2 }),
    contribution('c', { priority: 1 }),
  )
  t.deepEqual(taken, ['a', 'c'])
  t.regex(leftOut.find(({ id }) => id === 'b')?.reason ?? '', /of 1000/u)
})

test('a contribution whose condition can not be found out is not told', async t => {
  const { plugins } = await openPlugins(t, { isMet: () => Promise.reject(new Error('no store')) })
  t.deepEqual(await plugins.sessionContributions(), [])
  t.is(plugins.promptContributions().contributions.length, 1)
})

for (const { id, manifest } of bundledPlugins('1.0.0'))
  test(`what ${id} contributes is clean and as short as it says, and its manifest is a whole one`, async t => {
    t.deepEqual(pluginManifest.parse(manifest), manifest)
    const { plugins } = await openPlugins(t)
    t.deepEqual(
      plugins.promptContributions().leftOut.filter(({ isFault }) => isFault),
      [],
    )
    for (const { content } of manifest.promptContributions) t.is(scanContent(content).status, 'clean')
    t.pass()
  })
