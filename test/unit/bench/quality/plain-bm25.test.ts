import test from 'ava'
import { PlainBm25 } from '../../../../bench/quality/plain-bm25.js'

function storeOf(...texts: string[]): PlainBm25 {
  const store = new PlainBm25()
  for (const [i, content] of texts.entries()) store.add({ id: String(i), content })
  return store
}

test('rare words and short rows rank first', t => {
  const store = storeOf(
    'deploy the ferry on Monday',
    'deploy the app',
    'deploy the app again with a very long list of words that nobody asked about',
  )
  t.deepEqual(store.recall('deploy ferry', 10), ['0', '1', '2'])
  t.deepEqual(store.recall('app', 10), ['1', '2'])
})

test('a repeated word counts more, with diminishing gain', t => {
  const store = storeOf(
    'cache cache cache disk disk disk',
    'cache cache disk disk disk disk',
    'tape tape tape tape tape tape',
  )
  t.deepEqual(store.recall('cache', 10), ['0', '1'])
})

test('words are compared by stem, and question words are ignored', t => {
  const store = storeOf('what is the where of it', 'Deployments are running')
  t.deepEqual(store.recall('what runs the deployment?', 10), ['1'])
})

test('at most the requested number of rows returns, and ties keep their order', t => {
  t.deepEqual(storeOf('port', 'port', 'port').recall('port', 2), ['0', '1'])
  t.deepEqual(storeOf().recall('port', 2), [])
})
