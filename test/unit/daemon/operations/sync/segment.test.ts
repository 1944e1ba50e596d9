import { generateKeyPairSync, randomBytes } from 'node:crypto'
import test from 'ava'
import {
  decodeSegment,
  encodeSegment,
  hashOf,
  headOf,
  mostSegmentBytes,
  SegmentFault,
  type SegmentHead,
} from '../../../../../src/daemon/operations/sync/files/segment.js'
import type { SyncRecord } from '../../../../../src/daemon/operations/sync/rules/records.js'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const epochKey = randomBytes(32)
const head: SegmentHead = {
  ...{ store: 'ab'.repeat(16), device: 'k7qm', number: 3, epoch: 1, previous: hashOf(Buffer.from('before')) },
}
const recordsOf = (count: number): SyncRecord[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ kind: 'hint', id: `m${at}`, clock: `019a00000000-${at.toString(16).padStart(4, '0')}-k7qm` },
    text: { text: `the zorgleflux crane ${at}`, key: `${at}` },
  }))
const write = (count: number, given = head) =>
  encodeSegment(given, recordsOf(count), { epochKey, signing: privateKey })
const read = (file: Buffer, wanted = head, key = epochKey, signing = publicKey) =>
  decodeSegment(file, wanted, { epochKey: key, signing })

test('a segment gives back its records and shows nothing of them', t => {
  for (const count of [0, 1, 2, 2000]) {
    const file = write(count)
    t.deepEqual(read(file), recordsOf(count))
    t.like(headOf(file), head)
    t.false(file.includes('zorgleflux') || file.includes('hint'))
  }
  t.notDeepEqual(write(1), write(1))
})

test('any flipped bit and any cut of a segment is refused', t => {
  const file = write(1)
  for (let at = 0; at < file.length; at++) {
    const changed = Buffer.from(file)
    changed[at]! ^= 1 << (at % 8)
    t.throws(() => read(changed), { instanceOf: SegmentFault }, `byte ${at}`)
    t.throws(() => read(file.subarray(0, at)), { instanceOf: SegmentFault }, `${at} bytes`)
  }
  t.throws(() => read(Buffer.concat([file, Buffer.from([0])])), { message: /more than it should/u })
  t.throws(() => headOf(Buffer.alloc(mostSegmentBytes + 1)), { message: /longer/u })
})

test('a segment of another store, device, place, epoch, writer or format is refused by name', t => {
  const file = write(1)
  const others: [Partial<SegmentHead>, RegExp][] = [
    [{ store: 'cd'.repeat(16) }, /its store is abab/u],
    [{ device: 'zzzz' }, /its device is k7qm, not zzzz/u],
    [{ number: 4 }, /its number is 3, not 4/u],
    [{ epoch: 2 }, /its epoch is 1, not 2/u],
    [{ previous: '00'.repeat(32) }, /its previous is/u],
  ]
  for (const [other, message] of others) t.throws(() => read(file, { ...head, ...other }), { message })
  const stranger = generateKeyPairSync('ed25519')
  t.throws(() => read(file, head, epochKey, stranger.publicKey), { message: /not signed by k7qm/u })
  t.throws(() => read(file, head, randomBytes(32)), { message: /key of its epoch/u })
  const newer = Buffer.from(file)
  newer[4] = 2
  t.throws(() => read(newer), { message: /format 2: a newer memory-service/u })
})

test('the length of a segment hides small differences and costs at most an eighth', t => {
  const lengths = new Set(Array.from({ length: 40 }, (_, at) => write(200 + at).length))
  t.true(lengths.size < 20, `${lengths.size} lengths of 40`)
})
