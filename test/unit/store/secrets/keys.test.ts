import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { AppError } from '../../../../src/contract/ground/errors.js'
import { openExport } from '../../../../src/store/secrets/secret-store.js'
import { memoryKeychain, storeFolder } from '../../../helpers/secret-stores.js'

const passphrase = 'correct horse battery'

async function filledStore(t: ExecutionContext) {
  const place = storeFolder(t)
  const store = place.open()
  await store.set('ONE', 'first value')
  await store.set('TWO', 'second value')
  const whole = () => JSON.parse(readFileSync(place.file, 'utf8'))
  return { ...place, store, whole }
}

for (const keys of ['outer', 'inner', 'both'] as const)
  test(`rotating ${keys} keeps the values and replaces the named keys`, async t => {
    const { store, open, whole, keyFile } = await filledStore(t)
    const [before, key] = [whole(), readFileSync(keyFile)]
    const rotated = await store.rotate(keys)
    const after = whole()
    t.deepEqual(rotated, keys === 'both' ? ['outer', 'inner'] : [keys])
    t.is(key.equals(readFileSync(keyFile)), keys === 'inner')
    t.is(before.dek.id === after.dek.id, keys === 'outer')
    t.is(before.entries.ONE.ct === after.entries.ONE.ct, keys === 'outer')
    t.is(before.entries.ONE.updatedAt, after.entries.ONE.updatedAt)
    t.is(await open().get('ONE'), 'first value')
    t.is(await open().get('TWO'), 'second value')
  })

test('the key file contains one key after a rotation', async t => {
  const { store, keyFile } = await filledStore(t)
  await store.rotate('outer')
  await store.rotate('both')
  t.is(readFileSync(keyFile).length, 32)
})

test('a kill between writing the new key and the store leaves a store that opens', async t => {
  const { open, keyFile, file } = await filledStore(t)
  const [oldKey, oldStore] = [readFileSync(keyFile), readFileSync(file)]
  await open().rotate('both')
  const [newKey, newStore] = [readFileSync(keyFile), readFileSync(file)]
  for (const store of [oldStore, newStore]) {
    writeFileSync(keyFile, Buffer.concat([newKey, oldKey]))
    writeFileSync(file, store)
    t.is(await open().get('ONE'), 'first value')
    await open().set('THREE', 'third value')
    t.is(readFileSync(keyFile).length, 32)
    t.is(await open().get('TWO'), 'second value')
  }
})

test('a passphrase replaces the key file, and the old key opens nothing', async t => {
  const { store, open, keyFile, file, whole } = await filledStore(t)
  const oldKey = readFileSync(keyFile)
  await store.protect({ source: 'passphrase', passphrase })
  t.false(existsSync(keyFile))
  t.deepEqual([whole().kek.source, whole().kek.N], ['passphrase', 2 ** 17])
  t.is(await store.get('ONE'), 'first value')
  await t.throwsAsync(open().get('ONE'), { code: 'secret_store_locked' })
  writeFileSync(file, JSON.stringify({ ...whole(), kek: { source: 'keyfile' } }))
  writeFileSync(keyFile, oldKey)
  await t.throwsAsync(open().get('ONE'), { code: 'secret_store_damaged' })
})

test('a locked store refuses everything until the correct passphrase is given', async t => {
  const { store, open, file } = await filledStore(t)
  await store.protect({ source: 'passphrase', passphrase })
  const before = readFileSync(file)
  const later = open()
  await t.throwsAsync(later.set('NEW', 'value'), { code: 'secret_store_locked' })
  await t.throwsAsync(later.names(), { code: 'secret_store_locked' })
  t.like(await later.status(), { state: 'locked', source: 'passphrase' })
  await t.throwsAsync(later.unlock('the wrong one'), { code: 'validation_failed' })
  await t.throwsAsync(later.names(), { code: 'secret_store_locked' })
  t.deepEqual(readFileSync(file), before)
  await later.unlock(passphrase)
  t.deepEqual(await later.names(), ['ONE', 'TWO'])
  await later.set('NEW', 'value')
  t.is(await later.get('NEW'), 'value')
})

test('a passphrase given at the start opens the store, a wrong one leaves it locked', async t => {
  const { store, open } = await filledStore(t)
  await store.protect({ source: 'passphrase', passphrase: 'caf\u00e9 au lait' })
  t.is(await open({ passphrase: 'cafe\u0301 au lait' }).get('ONE'), 'first value')
  await t.throwsAsync(open({ passphrase: 'something else' }).get('ONE'), { code: 'secret_store_locked' })
})

test('with a passphrase only the inner key can be rotated', async t => {
  const { store, open } = await filledStore(t)
  await store.protect({ source: 'passphrase', passphrase })
  t.deepEqual(await store.rotate('both'), ['inner'])
  await t.throwsAsync(store.rotate('outer'), { code: 'conflict', message: /protect passphrase/u })
  t.is(await open({ passphrase }).get('ONE'), 'first value')
})

test('a store without a passphrase cannot be unlocked', async t => {
  const { store } = await filledStore(t)
  await t.throwsAsync(store.unlock(passphrase), { code: 'conflict' })
})

test('the keychain stores and returns one key at a time', async t => {
  const { store: _, open, keyFile } = await filledStore(t)
  const keychain = memoryKeychain()
  const store = open({ keychain })
  await store.protect({ source: 'keychain' })
  t.false(existsSync(keyFile))
  t.is(await open({ keychain }).get('ONE'), 'first value')
  const before = [...keychain.entries]
  await store.rotate('outer')
  t.is(keychain.entries.size, 1)
  t.notDeepEqual([...keychain.entries], before)
  await store.protect({ source: 'keyfile' })
  t.is(keychain.entries.size, 0)
  t.is(await open().get('TWO'), 'second value')
})

test('an unresponsive keychain changes nothing and remains in use', async t => {
  const { store, open, file, keyFile } = await filledStore(t)
  const silent = { get: refuse, set: refuse, remove: refuse }
  const [before, key] = [readFileSync(file), readFileSync(keyFile)]
  const code = 'secret_store_unavailable'
  await t.throwsAsync(open({ keychain: silent }).protect({ source: 'keychain' }), { code })
  t.deepEqual([readFileSync(file), readFileSync(keyFile)], [before, key])
  const keychain = memoryKeychain()
  await open({ keychain }).protect({ source: 'keychain' })
  const kept = readFileSync(file)
  await t.throwsAsync(open({ keychain: silent }).set('NEW', 'value'), { code })
  t.like(await open({ keychain: silent }).status(), { state: 'unavailable', source: 'keychain' })
  t.deepEqual(readFileSync(file), kept)
  t.false(existsSync(keyFile))
  t.is(await store.get('ONE').catch((error: AppError) => error.code), 'secret_store_damaged')
})

async function refuse(): Promise<never> {
  throw new AppError('secret_store_unavailable', 'no answer')
}

test('a key missing in the keychain is damage, and no new key is created', async t => {
  const { open } = await filledStore(t)
  const keychain = memoryKeychain()
  await open({ keychain }).protect({ source: 'keychain' })
  keychain.entries.clear()
  await t.throwsAsync(open({ keychain }).set('NEW', 'value'), { code: 'secret_store_damaged' })
  t.is(keychain.entries.size, 0)
})

test('an export opens anywhere with its passphrase only', async t => {
  const { store } = await filledStore(t)
  const file = JSON.parse(JSON.stringify(await store.export(passphrase)))
  t.deepEqual(
    await openExport(file, passphrase),
    new Map(Object.entries({ ONE: 'first value', TWO: 'second value' })),
  )
  await t.throwsAsync(openExport(file, 'another one'), { code: 'validation_failed', message: /passphrase/u })
  file.entries.ONE.ct = file.entries.TWO.ct
  await t.throwsAsync(openExport(file, passphrase), { code: 'validation_failed', message: /damaged/u })
  await t.throwsAsync(openExport({}, passphrase), {
    code: 'validation_failed',
    message: /not a secrets export/u,
  })
})

test('an export file that demands too much memory is refused', async t => {
  const { store } = await filledStore(t)
  const file = await store.export(passphrase)
  const greedy = { ...file, kek: { ...file.kek, N: 2 ** 24 } }
  await t.throwsAsync(openExport(greedy, passphrase), {
    code: 'validation_failed',
    message: /not a secrets export/u,
  })
})
