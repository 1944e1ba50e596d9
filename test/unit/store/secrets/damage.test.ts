import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import type { SealedValue, StoreFile } from '../../../../src/contract/secrets/store-file.js'
import type { SecretStore } from '../../../../src/store/secrets/secret-store.js'
import { type StoreFolder, storeFolder } from '../../../helpers/secret-stores.js'

const values = { ONE: 'first value', TWO: 'second value' }

async function filledStore(t: ExecutionContext): Promise<StoreFolder> {
  const place = storeFolder(t)
  const store = place.open()
  for (const [name, value] of Object.entries(values)) await store.set(name, value)
  return place
}

/** Expects every operation to fail and the file to stay unchanged. */
async function refusesAll(
  t: ExecutionContext,
  place: StoreFolder,
  code = 'secret_store_damaged',
): Promise<void> {
  const before = existsSync(place.file) ? readFileSync(place.file) : undefined
  const operations: ((store: SecretStore) => Promise<unknown>)[] = [
    store => store.names(),
    store => store.get('ONE'),
    store => store.set('NEW', 'value'),
    store => store.remove('ONE'),
    store => store.merge(new Map([['NEW', 'value']]), { overwrite: true }),
    store => store.protect({ source: 'keyfile' }),
    store => store.rotate('both'),
    store => store.export('a long passphrase'),
  ]
  for (const operation of operations) await t.throwsAsync(operation(place.open()), { code })
  t.deepEqual(existsSync(place.file) ? readFileSync(place.file) : undefined, before)
}

const parts: Record<string, (file: StoreFile) => unknown> = {
  format: file => ({ ...file, format: 'else' }),
  version: file => ({ ...file, version: 2 }),
  kek: ({ kek: _, ...file }) => file,
  'the source of the outer key': file => ({ ...file, kek: { source: 'nowhere' } }),
  'the id of the inner key': file => ({ ...file, dek: { ...file.dek, id: 'another' } }),
  'the inner key': file => ({ ...file, dek: flipped(file.dek, 'ct') }),
  'the tag of the inner key': file => ({ ...file, dek: flipped(file.dek, 'tag') }),
  entries: ({ entries: _, ...file }) => file,
  'the text of an entry': file => withEntry(file, entry => flipped(entry, 'ct')),
  'the IV of an entry': file => withEntry(file, entry => flipped(entry, 'iv')),
  'the tag of an entry': file => withEntry(file, entry => flipped(entry, 'tag')),
  'a short tag': file => withEntry(file, entry => ({ ...entry, tag: entry.tag.slice(0, 8) })),
  'two swapped entries': file => {
    const { ONE, TWO } = file.entries
    return { ...file, entries: { ONE: TWO, TWO: ONE } }
  },
  'an invalid secret name': file => {
    const { ONE } = file.entries
    return { ...file, entries: { 'no name': ONE } }
  },
}

function flipped<S extends SealedValue>(sealed: S, field: keyof SealedValue): S {
  const bytes = Buffer.from(sealed[field], 'base64')
  bytes[0] = bytes.readUInt8(0) ^ 1
  return { ...sealed, [field]: bytes.toString('base64') }
}

function withEntry(file: StoreFile, change: (entry: SealedValue) => SealedValue): object {
  const { ONE, ...others } = file.entries
  return { ...file, entries: { ...others, ONE: change(ONE as SealedValue) } }
}

for (const [part, damage] of Object.entries(parts))
  test(`a store damaged in ${part} refuses every operation and stays unchanged`, async t => {
    const place = await filledStore(t)
    writeFileSync(place.file, JSON.stringify(damage(JSON.parse(readFileSync(place.file, 'utf8')))))
    await refusesAll(t, place)
  })

for (const content of ['', '{', 'null', '[]', '\0\0\0'])
  test(`a store file with ${JSON.stringify(content)} is refused, not treated as empty`, async t => {
    const place = await filledStore(t)
    writeFileSync(place.file, content)
    await refusesAll(t, place)
  })

test('a truncated store is refused', async t => {
  const place = await filledStore(t)
  const whole = readFileSync(place.file)
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), async length => {
      writeFileSync(place.file, whole.subarray(0, length))
      await t.throwsAsync(place.open().names(), { code: 'secret_store_damaged' })
    }),
    { numRuns: 40 },
  )
})

test('a changed byte yields the same values or an error, never another value', async t => {
  const place = await filledStore(t)
  const whole = readFileSync(place.file)
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (position, mask) => {
      const bytes = Buffer.from(whole)
      bytes[position] = bytes.readUInt8(position) ^ mask
      writeFileSync(place.file, bytes)
      const value = await place
        .open()
        .get('ONE')
        .catch((error: { code?: string }) => error.code)
      t.true(
        [values.ONE, 'secret_store_damaged', 'secret_store_locked'].includes(value ?? ''),
        `at ${position}`,
      )
    }),
    { numRuns: 150 },
  )
})

test('a store without its key is damaged, and no new key is created', async t => {
  const place = await filledStore(t)
  rmSync(place.keyFile)
  await refusesAll(t, place)
  t.false(existsSync(place.keyFile))
})

for (const length of [0, 31, 33, 64])
  test(`a store whose key is replaced with ${length} bytes is refused`, async t => {
    const place = await filledStore(t)
    writeFileSync(place.keyFile, Buffer.alloc(length, 1))
    await refusesAll(t, place)
  })

test('an invalid key prevents a new store', async t => {
  const place = await filledStore(t)
  rmSync(place.file)
  writeFileSync(place.keyFile, 'short')
  await t.throwsAsync(place.open().set('KEY', 'value'), { code: 'secret_store_damaged' })
  t.is(readFileSync(place.keyFile, 'utf8'), 'short')
})

test('a store that disappears while the daemon runs is not treated as empty', async t => {
  const place = await filledStore(t)
  const store = place.open()
  await store.names()
  rmSync(place.file)
  await t.throwsAsync(store.names(), { code: 'secret_store_damaged' })
  await t.throwsAsync(store.set('NEW', 'value'), { code: 'secret_store_damaged' })
  t.false(existsSync(place.file))
})

test('damage while the daemon runs is detected', async t => {
  const place = await filledStore(t)
  const store = place.open()
  await store.names()
  writeFileSync(place.file, '{}')
  await t.throwsAsync(store.set('NEW', 'value'), { code: 'secret_store_damaged' })
  t.is(readFileSync(place.file, 'utf8'), '{}')
})

const isRoot = process.getuid?.() === 0
// Root can read any file, and Windows has no file modes.
;(isRoot || process.platform === 'win32' ? test.skip : test)('an unreadable store is refused', async t => {
  const place = await filledStore(t)
  chmodSync(place.file, 0)
  await t.throwsAsync(place.open().names(), { code: 'secret_store_damaged' })
})

test('a repaired store opens without a restart', async t => {
  const place = await filledStore(t)
  const store = place.open()
  const whole = readFileSync(place.file)
  writeFileSync(place.file, '{}')
  await t.throwsAsync(store.names())
  writeFileSync(place.file, whole)
  t.deepEqual(await store.names(), ['ONE', 'TWO'])
})
