import test from 'ava'
import { readText } from '../../../../../helpers/rule-reading.js'

test('a service that is named with and without that word is one thing', async t => {
  const said = await readText('The checkout service listens on port 6230. checkout uses Redis.')
  t.true(said.includes('checkout port = 6230'), said.join('\n'))
  t.true(said.includes('checkout uses Redis'), said.join('\n'))
  t.false(
    said.some(one => one.startsWith('checkout service port')),
    said.join('\n'),
  )
})

test('a service that only has its longer name keeps it', async t => {
  const said = await readText('The checkout service listens on port 6230.')
  t.true(said.includes('checkout service port = 6230'), said.join('\n'))
})

test('a longer name that was stored before stays, since only a person merges entities', async t => {
  const known = ['checkout', 'checkout service'].map(name => ({
    name,
    aliases: [],
    type: 'component',
    entityId: name,
    claims: [],
  }))
  const said = await readText('The checkout service listens on port 6230.', {}, known)
  t.true(said.includes('checkout service port = 6230'), said.join('\n'))
})
