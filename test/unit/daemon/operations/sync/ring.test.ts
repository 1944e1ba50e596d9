import { randomBytes } from 'node:crypto'
import test from 'ava'
import {
  checkRing,
  type EpochKeys,
  exportDevice,
  importDevice,
  keysByRecovery,
  keysForMember,
  newDevice,
  nextRing,
  type Ring,
  RingFault,
  recoveryPublic,
  ringHash,
} from '../../../../../src/daemon/operations/sync/files/ring.js'

const store = 'ab'.repeat(16)
const seed = randomBytes(32)
const [home, laptop, tower] = [
  newDevice('hhhh', 'home'),
  newDevice('llll', 'laptop'),
  newDevice('tttt', 'tower'),
]
const first = nextRing(home, {
  store,
  keys: new Map(),
  heads: [],
  add: [home],
  recovery: recoveryPublic(seed),
})
const second = nextRing(home, {
  ...{ store, keys: keysForMember(first, home), heads: [first], add: [laptop, tower] },
})
const trusted = (...rings: Ring[]) => new Map(rings.map(ring => [ringHash(ring), ring]))
const texts = (keys: EpochKeys) => [...keys].map(([hash, key]) => [hash, key.toString('hex')]).sort()

test('a member and the recovery code open the keys of all epochs, a stranger and another code none', t => {
  checkRing(second, trusted(first))
  const keys = keysForMember(second, home)
  t.is(keys.size, 2)
  for (const other of [keysForMember(second, laptop), keysByRecovery(second, seed)])
    t.deepEqual(texts(other), texts(keys))
  t.deepEqual(texts(keysForMember(second, importDevice(exportDevice(tower)))), texts(keys))
  t.throws(() => keysForMember(second, newDevice('xxxx', 'stranger')), { instanceOf: RingFault })
  t.throws(() => keysForMember(second, newDevice('llll', 'pretender')), { message: /does not open/u })
  t.throws(() => keysByRecovery(second, randomBytes(32)), { message: /does not open/u })
})

test('a revoked device gets no new key, can sign no ring, and never comes back', t => {
  const keys = keysForMember(second, home)
  const third = nextRing(home, { store, keys, heads: [second], revoke: ['llll'] })
  checkRing(third, trusted(second))
  t.throws(() => keysForMember(third, laptop), { message: /llll does not belong to epoch 3/u })
  t.is(keysForMember(third, tower).size, 3)
  const own = nextRing(laptop, { store, keys, heads: [third], add: [laptop] })
  t.deepEqual(
    own.members.map(({ tag }) => tag),
    ['hhhh', 'tttt'],
  )
  t.throws(() => checkRing(own, trusted(third)), { message: /llll, who signed it, does not belong/u })
  const { revoked: _revoked, ...rest } = nextRing(home, { store, keys, heads: [third] })
  t.throws(() => checkRing({ ...rest, revoked: [] }, trusted(third)), { message: /takes a revocation back/u })
})

test('what a device has of the recovery code opens nothing', t => {
  const mine = JSON.stringify({ device: exportDevice(laptop), ring: second })
  t.false(mine.includes(seed.toString('base64')) || mine.includes(seed.toString('hex')))
  const third = nextRing(home, {
    ...{ store, keys: keysForMember(second, home), heads: [second], revoke: ['llll'] },
  })
  t.is(third.recovery.to, recoveryPublic(seed))
  t.throws(() => keysByRecovery(third, Buffer.from(third.recovery.to, 'base64').subarray(-32)), {
    message: /does not open/u,
  })
  t.is(keysByRecovery(third, seed).size, 3)
})

test('of two rings made at once the members are united and revocations win', t => {
  const keys = keysForMember(second, home)
  const phone = newDevice('pppp', 'phone')
  const added = nextRing(tower, { store, keys, heads: [second], add: [phone] })
  const removed = nextRing(home, { store, keys, heads: [second], revoke: ['llll'] })
  const both = new Map([...keysForMember(added, home), ...keysForMember(removed, home)])
  const joined = nextRing(home, { store, keys: both, heads: [added, removed] })
  checkRing(joined, trusted(added, removed))
  t.deepEqual(
    joined.members.map(({ tag }) => tag),
    ['hhhh', 'pppp', 'tttt'],
  )
  t.is(keysForMember(joined, phone).size, 5)
  t.throws(() => checkRing(joined, trusted(added)), { message: /ring before it is missing/u })
})

test('a changed ring, one of another store, and one that goes back are refused', t => {
  const known = trusted(first)
  const changes: [Partial<Ring>, RegExp][] = [
    [{ members: [...second.members, newDevice('xxxx', 'stranger')] }, /not signed by hhhh/u],
    [{ signer: 'llll' }, /does not belong/u],
    [{ store: 'cd'.repeat(16) }, /another store/u],
    [{ epoch: 1 }, /goes back/u],
    [{ previous: [] }, /begins another store/u],
    [{ revoked: ['tttt'] }, /revoked member/u],
  ]
  for (const [change, message] of changes)
    t.throws(() => checkRing({ ...second, ...change }, known), { message })
  t.throws(
    () =>
      keysByRecovery(
        { ...first, members: [], recovery: { ...second.recovery, sealed: second.earlier } },
        seed,
      ),
    {
      instanceOf: RingFault,
    },
  )
})
