import test from 'ava'
import {
  guardedLookup,
  isPublicAddress,
  literalHost,
} from '../../../../../src/daemon/ground/fetch/guarded-lookup.js'

const refused = {
  'this host': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'private networks': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  'link-local, where clouds keep credentials': ['169.254.169.254', '169.254.1.1', 'fe80::1', 'fe80::1%eth0'],
  'shared address space': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.250', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  'reserved and documentation': [
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.1',
    '240.0.0.1',
    '2001:db8::1',
  ],
  'IPv4 in IPv6': ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe'],
  'IPv4 in the first addresses of IPv6, and ranges nobody has': [
    '::127.0.0.1',
    '::7f00:1',
    '::a9fe:a9fe',
    '4000::1',
    '1::1',
  ],
  'NAT64, 6to4 and Teredo': [
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:0:1::1',
  ],
  'an invalid address': ['', 'localhost', '1.2.3.4.5', 'fe80::1::2'],
}

const literals: Readonly<Record<string, string | undefined>> = {
  'http://127.1/': '127.0.0.1',
  'http://2130706433/': '127.0.0.1',
  'http://0x7f.0.0.1/': '127.0.0.1',
  'http://0177.0.0.1/': '127.0.0.1',
  'http://[::1]/': '::1',
  'http://[::ffff:127.0.0.1]/': '::ffff:7f00:1',
  'http://example.org/': undefined,
}

type Answer = { error: Error | null; address: unknown }

/** Returns a lookup for which the system resolves one list of addresses per call. */
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

test('a public name is connected to', async t => {
  const ask = asking(false, ['93.184.216.34'], ['93.184.216.34'])
  t.deepEqual(await ask(true), { error: null, address: [{ address: '93.184.216.34', family: 4 }] })
  t.deepEqual(await ask(false), { error: null, address: '93.184.216.34' })
})

test('a name that later resolves to a private address is refused then (documents.md#files-and-addresses)', async t => {
  const ask = asking(false, ['93.184.216.34'], ['127.0.0.1'])
  t.is((await ask(true)).error, null)
  t.regex(
    (await ask(true)).error?.message ?? '',
    /example\.org resolves to 127\.0\.0\.1: that is this machine or a private network/u,
  )
})

test('one private address among several refuses the name', async t => {
  t.truthy((await asking(false, ['93.184.216.34', '10.0.0.1'])(true)).error)
})

test('private addresses are allowed if the settings say so', async t => {
  t.is((await asking(true, ['127.0.0.1'])(true)).error, null)
})

test('a name without an address is refused', async t => {
  t.truthy((await asking(false, [])(true)).error)
})

for (const [what, addresses] of Object.entries(refused))
  for (const address of addresses)
    test(`${address || 'nothing'} is not a public address: ${what} (documents.md#files-and-addresses)`, t => {
      t.false(isPublicAddress(address))
    })

for (const address of ['8.8.8.8', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])
  test(`${address} is a public address (documents.md#files-and-addresses)`, t => {
    t.true(isPublicAddress(address))
  })

for (const [url, host] of Object.entries(literals))
  test(`the literal host of ${url} is ${host ?? 'none'}`, t => {
    t.is(literalHost(new URL(url)), host)
  })
