import test from 'ava'
import { namesOf } from '../../../../src/lib/text/names.js'

test('projects of one name differ by what is before it in their keys', t => {
  const commit = 'git:28b8e1cca5ba36a9f002a59c6b3f08423323205e'
  const names = namesOf([
    { name: 'shop', keys: ['github.com/acme/shop', '/home/ann/shop'] },
    { name: 'shop', keys: ['github.com/ann/shop'] },
    { name: 'shop', keys: ['/home/ann/old/shop'] },
    { name: 'shop', keys: [commit] },
    { name: 'api', keys: ['github.com/acme/api'] },
  ])
  t.deepEqual(Object.fromEntries(names), {
    'github.com/acme/shop': 'shop (acme)',
    '/home/ann/shop': 'shop (acme)',
    'github.com/ann/shop': 'shop (ann)',
    '/home/ann/old/shop': 'shop (old)',
    [commit]: 'shop (28b8e1c)',
    'github.com/acme/api': 'api',
  })
})
