import test from 'ava'
import { removeUnlisted } from '../../../../../../src/daemon/knowledge/sources/discord/servers/known-paths.js'
import { Rows } from '../../../../../helpers/discord/rows.js'

/** Returns the removed ids, and the number of rows loaded for them. */
async function removedIds(
  ids: readonly string[],
  range: { after: string; before?: string; listed?: readonly string[] },
) {
  const rows = new Rows()
  for (const id of ids)
    await rows.take(
      (async function* () {
        yield {
          event: 'artifact' as const,
          artifact: { path: id, kind: 'message', title: null, text: id, updatedAt: null, fingerprint: id },
        }
      })(),
    )
  const { knownAfter } = rows.pass({})
  let loaded = 0
  const pass = {
    knownAfter: async (page: Parameters<typeof knownAfter>[0]) => {
      const some = await knownAfter(page)
      loaded += some.length
      return some
    },
  }
  const { after, before, listed = [] } = range
  const told: string[] = []
  for await (const event of removeUnlisted(pass, 'g/c', { after, before, listed: new Set(listed) }))
    if (event.event === 'removed') told.push(event.path.slice('g/c/'.length))
  return { told, loaded }
}

const at = (...ids: string[]) => ids.map(id => `g/c/${id}`)

test('ids between two listed ones that were not listed are deleted, without loading others', async t => {
  const many = Array.from({ length: 800 }, (_, n) => `${5000 + n}`)
  const between = { after: '5100', before: '5104', listed: ['5102'] }
  t.deepEqual(await removedIds(at(...many, '5101/7'), between), {
    told: ['5101', '5101/7', '5103'],
    loaded: 4,
  })
  const { told } = await removedIds(at('9', '10', '99', '100', '999', '1000'), { after: '9', before: '1000' })
  t.deepEqual(told.sort(), ['10', '100', '99', '999'])
})

test('an open range covers all newer ids, or all ids', async t => {
  const ids = ['400000000000000001', '1200000000000000001', '1200000000000000002', '1200000000000000003']
  const newer = await removedIds(at(...ids), { after: '1200000000000000002', listed: [] })
  t.deepEqual(newer, { told: ['1200000000000000003'], loaded: 2 })
  t.deepEqual((await removedIds(at(...ids), { after: '0' })).told.length, 4)
})
