import test from 'ava'
import { withoutOwnPaths } from '../../../../../src/daemon/ground/text/own-paths.js'

test('folders that lead to the own project are removed from absolute paths, and nothing else', t => {
  const read = (prompt: string) => withoutOwnPaths(prompt, 'github.com/acme/shop')
  t.is(read('/home/ann/shop/packages/cart/round.ts'), '/packages/cart/round.ts')
  t.is(
    read('at round (/home/ann/shop/cart.ts:14:9)\n at x (/home/ann/shop/b.ts)'),
    'at round (/cart.ts:14:9)\n at x (/b.ts)',
  )
  t.is(read('~/shop/a.ts and C:\\src\\shop\\b.ts'), '/a.ts and \\b.ts')
  for (const prompt of [
    'open the shop',
    'shop/cart.ts',
    '/home/ann/shopping/a.ts',
    'https://example.com/shop',
    'see /home/ann/shop',
  ])
    t.is(read(prompt), prompt)
  t.is(withoutOwnPaths('/home/shop/a', ''), '/home/shop/a')
})

test('a prompt of slashes costs no more than its length', t => {
  const long = '/é'.repeat(50_000)
  t.is(withoutOwnPaths(`${long} shop`, 'shop'), `${long} shop`)
})
