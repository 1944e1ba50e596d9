import test from 'ava'
import { measureDeveloperMemories } from '../../../../../../bench/quality/developer.js'

test('ordinary memories are found by questions in other words', async t => {
  const quality = await measureDeveloperMemories(['shop-first'])
  t.true(quality['hits@1'] >= 58, `not first: ${quality.notFirst.join('; ')}`)
  t.true(quality['hits@5'] >= 60)
  t.true(quality.lost <= 2)
})

test('most questions without an answer bring nothing back', async t => {
  const quality = await measureDeveloperMemories(['shop-first'])
  t.true(quality.falsePositives <= 9, `answered: ${quality.falsePositiveQueries.join('; ')}`)
})
