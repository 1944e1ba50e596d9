import test, { type ExecutionContext } from 'ava'
import { pluginManifest } from '../../../../../src/contract/platform/plugins.js'
import { bundledPlugins } from '../../../../../src/daemon/platform/plugins/plugin.js'
import { scanContent } from '../../../../../src/daemon/safety/scan.js'
import { addPlugin, contribution, openPlugins } from '../../../../helpers/plugins.js'

const administrator = { source: 'api' }

/** Adds an enabled plugin with these contributions and the needed grant. */
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

test('contributions are sorted by priority, highest first, then by id', async t => {
  const { taken } = await contributing(
    t,
    contribution('c', { priority: 5 }),
    contribution('b'),
    contribution('a'),
    contribution('d', { priority: 7 }),
  )
  t.deepEqual(taken, ['d', 'c', 'a', 'b'])
})

test('a contribution with more tokens than declared is left out', async t => {
  const { taken, leftOut } = await contributing(t, contribution('a', { maxTokens: 5 }))
  t.deepEqual(taken, [])
  t.regex(
    leftOut.find(({ id }) => id === 'a')?.reason ?? '',
    /has 10 tokens, more than its declared limit of 5/u,
  )
})

test('contributions have at most 1,000 tokens together, and a later shorter one may still fit', async t => {
  // Those of the bundled plugins count, too.
  const long = { maxTokens: 500, content: 'word '.repeat(490) }
  const { taken, leftOut } = await contributing(
    t,
    contribution('a', { ...long, priority: 3 }),
    contribution('b', { ...long, priority: 2 }),
    contribution('c', { priority: 1 }),
  )
  t.deepEqual(taken, ['a', 'c'])
  t.regex(leftOut.find(({ id }) => id === 'b')?.reason ?? '', /of 1000/u)
})

test('a contribution with an unknown condition is left out', async t => {
  const { plugins } = await openPlugins(t, { isMet: () => Promise.reject(new Error('no store')) })
  t.deepEqual(await plugins.sessionContributions(), [])
  t.is(plugins.promptContributions().contributions.length, 1)
})

for (const { id, manifest } of bundledPlugins('1.0.0'))
  test(`the contributions of ${id} are clean and within their length, and its manifest is valid`, async t => {
    t.deepEqual(pluginManifest.parse(manifest), manifest)
    const { plugins } = await openPlugins(t)
    t.deepEqual(
      plugins.promptContributions().leftOut.filter(({ isFault }) => isFault),
      [],
    )
    for (const { content } of manifest.promptContributions) t.is(scanContent(content).status, 'clean')
    t.pass()
  })
