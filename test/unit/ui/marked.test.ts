import test from 'ava'
import { wordsOf } from '../../../src/ui/search/marked.js'

test('the words of a query that are worth marking leave out short and common ones', t => {
  t.deepEqual(wordsOf('Which service stores the data in Redis-7, über 100?'), [
    'service',
    'stores',
    'data',
    'redis',
    'über',
    '100',
  ])
  t.deepEqual(wordsOf('who is it'), [])
})
