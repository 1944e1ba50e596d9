import test from 'ava'
import { RankedIndex } from '../../../../../bench/quality/recall-system.js'

test('a few texts in another language do not make an everyday word rare', async t => {
  const index = new RankedIndex()
  const english = 'Every module of the shop has a directory for its pages and for the tests of its pages.'
  const french = 'Le message est dans le directory pour les journaux de la boutique et pour les clients.'
  for (let number = 0; number < 40; number++)
    index.add({ ...row, id: `english ${number}`, content: `${english} Its number is ${number}.` })
  index.add({ ...row, id: 'french', content: french })
  const query = 'directory of a module'
  const { ranked } = index.rank(query, await index.search({ query, project: null }))
  t.regex(ranked[0]?.id ?? '', /^english/u)
})

const row = { hints: [], who: null, project: 'shop', createdAt: Date.UTC(2026, 0, 1), session: null }
