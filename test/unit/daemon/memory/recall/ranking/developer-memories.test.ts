import test from 'ava'
import { measureDeveloperMemories } from '../../../../../../bench/quality/developer.js'

test('paraphrased questions find ordinary memories', async t => {
  const quality = await measureDeveloperMemories(['shop-first'])
  t.true(quality['hits@1'] >= 58, `not first: ${quality.notFirst.join('; ')}`)
  t.true(quality['hits@5'] >= 60)
  t.true(quality.lost <= 2)
})

test('most unanswerable questions return nothing', async t => {
  const quality = await measureDeveloperMemories(['shop-first'])
  t.true(quality.falsePositives <= 9, `answered: ${quality.falsePositiveQueries.join('; ')}`)
})
