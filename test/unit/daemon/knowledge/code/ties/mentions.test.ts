import test from 'ava'
import { mentionsIn } from '../../../../../../src/daemon/knowledge/code/ties/mentions.js'

const named = (text: string): string[] =>
  mentionsIn(text, '/work/shop').map(({ kind, target }) => `${kind} ${target}`)

test('paths, names and commits are found in prose (code-index.md 11)', t => {
  t.deepEqual(named('See src/store/open.ts:12, and README.md.'), ['path src/store/open.ts', 'path README.md'])
  t.deepEqual(named('It is /work/shop/lib/a.py (not /etc/passwd.conf).'), ['path lib/a.py'])
  t.deepEqual(named('Call openStore or open_store; `close` too, and flush().'), [
    'symbol close',
    'symbol openStore',
    'symbol open_store',
    'symbol flush',
  ])
  t.deepEqual(named('Store::close and `Store#open` and LiveIndex.fill()'), [
    'symbol Store.open',
    'symbol Store.close',
    'symbol LiveIndex.fill',
  ])
  t.deepEqual(named('Broken since 4b1eeac2, fixed in 1234567.'), ['commit 4b1eeac2'])
})

test('ordinary prose contains no code names, and the list is limited (code-index.md 11)', t => {
  t.deepEqual(named('The user likes tea. Meet at 10.30, e.g. in Berlin; see https://example.org/a/b.'), [])
  t.deepEqual(named('../outside/a.ts and ~/x'), [])
  const many = Array.from({ length: 100 }, (_, number) => `src/f${number}.ts`).join(' ')
  t.is(named(many).length, 20)
})
