import test from 'ava'
import { guardedLookup } from '../../../../../src/daemon/ground/fetch/guarded-lookup.js'

type Answer = { error: Error | null; address: unknown }

/** Asks a lookup for a name that the system answers with these addresses, one list for each time. */
function asking(allowPrivate: boolean, ...answers: string[][]) {
  const hosts = { allowed: allowPrivate, setting: 'documents.allowPrivateHosts' }
  const lookup = guardedLookup(hosts, (_host, done) => {
    const addresses = answers.shift() ?? []
    done(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  })
  return (all: boolean): Promise<Answer> =>
    new Promise(resolve => lookup('example.org', { all }, (error, address) => resolve({ error, address })))
}

test('a name of the open network is connected to', async t => {
  const ask = asking(false, ['93.184.216.34'], ['93.184.216.34'])
  t.deepEqual(await ask(true), { error: null, address: [{ address: '93.184.216.34', family: 4 }] })
  t.deepEqual(await ask(false), { error: null, address: '93.184.216.34' })
})

test('a name that answers a private address the second time is refused then (documents.md#files-and-addresses)', async t => {
  const ask = asking(false, ['93.184.216.34'], ['127.0.0.1'])
  t.is((await ask(true)).error, null)
  t.regex(
    (await ask(true)).error?.message ?? '',
    /example\.org leads to 127\.0\.0\.1: that is this machine or a private network/u,
  )
})

test('one private address among several refuses the name', async t => {
  t.truthy((await asking(false, ['93.184.216.34', '10.0.0.1'])(true)).error)
})

test('private addresses are connected to where the settings allow it', async t => {
  t.is((await asking(true, ['127.0.0.1'])(true)).error, null)
})

test('a name without an address is refused', async t => {
  t.truthy((await asking(false, [])(true)).error)
})
