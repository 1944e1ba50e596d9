import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import test from 'ava'
import fc from 'fast-check'
import { maxValueBytes } from '../../../../src/contract/secrets/names.js'
import { storeFolder } from '../../../helpers/secret-stores.js'

test('values are restored byte for byte after a restart', async t => {
  const { open } = storeFolder(t)
  const value = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
  const odd = fc.constantFrom('a\nb\r\n', ' lead and trail ', '\u{1F511}é', '="\\\'$(x)`', '\uFEFFbom', '\t')
  await fc.assert(
    fc.asyncProperty(fc.oneof(value, odd), async text => {
      await open().set('KEY', text)
      t.is(await open().get('KEY'), text)
    }),
    { numRuns: 60 },
  )
})

test('the longest allowed value is restored', async t => {
  const { open } = storeFolder(t)
  const value = 'é'.repeat(maxValueBytes / 2)
  await open().set('KEY', value)
  t.is(await open().get('KEY'), value)
})

test('no file contains a plain value, and the files are private', async t => {
  const { open, folder, file, keyFile } = storeFolder(t)
  await open().set('KEY', 'a value that nobody finds')
  t.deepEqual(readdirSync(folder).sort(), ['machine.key', 'secrets.json'])
  for (const path of [file, keyFile]) {
    t.is(statSync(path).mode & 0o777, 0o600)
    t.notRegex(readFileSync(path, 'utf8'), /nobody finds/)
  }
  t.is(statSync(folder).mode & 0o777, 0o700)
})

test('the file has the documented format', async t => {
  const { open, file } = storeFolder(t)
  await open().set('KEY', 'value')
  const { dek, entries, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
  t.deepEqual(rest, { format: 'memory-service-secrets', version: 1, kek: { source: 'keyfile' } })
  t.deepEqual(Object.keys(dek).sort(), ['ct', 'id', 'iv', 'tag'])
  t.deepEqual(Object.keys(entries.KEY).sort(), ['createdAt', 'ct', 'iv', 'tag', 'updatedAt'])
  t.is(Buffer.from(entries.KEY.iv, 'base64').length, 12)
})

test('writing the same value twice produces different ciphertexts', async t => {
  const { open, file } = storeFolder(t)
  const sealed = () => JSON.parse(readFileSync(file, 'utf8')).entries.KEY
  await open().set('KEY', 'value')
  const first = sealed()
  await open().set('KEY', 'value')
  t.not(sealed().iv, first.iv)
  t.not(sealed().ct, first.ct)
})

test('concurrent writes are all stored', async t => {
  const { open } = storeFolder(t)
  const store = open()
  const names = Array.from({ length: 30 }, (_, position) => `KEY_${position}`)
  await Promise.all(names.map(name => store.set(name, `value of ${name}`)))
  const values = await Promise.all(names.map(name => open().get(name)))
  t.deepEqual(
    values,
    names.map(name => `value of ${name}`),
  )
})

test('a removed secret is gone, and others remain', async t => {
  const { open } = storeFolder(t)
  const store = open()
  await store.set('ONE', 'first')
  await store.set('TWO', 'second')
  t.true(await store.remove('ONE'))
  t.false(await store.remove('ONE'))
  t.deepEqual(await open().names(), ['TWO'])
  t.is(await open().get('ONE'), undefined)
})

test('names of object properties are not secrets', async t => {
  const { open } = storeFolder(t)
  const store = open()
  await store.set('KEY', 'value')
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    t.is(await store.get(name), undefined)
    t.false(await store.remove(name))
  }
})

test('a full store refuses more', async t => {
  const { open } = storeFolder(t)
  const store = open()
  const values = (count: number, value: string) =>
    new Map(Array.from({ length: count }, (_, position) => [`KEY_${position}`, value]))
  const tooMany = { code: 'payload_too_large' }
  await t.throwsAsync(store.merge(values(1001, 'v'), { overwrite: false }), tooMany)
  await t.throwsAsync(store.merge(values(65, 'v'.repeat(maxValueBytes)), { overwrite: false }), tooMany)
  t.deepEqual(await open().names(), [])
})

test('a store replaced while the daemon runs is read again, not overwritten', async t => {
  const { open, file } = storeFolder(t)
  const store = open()
  await store.set('ONE', 'first')
  const backup = readFileSync(file)
  await store.set('TWO', 'second')
  writeFileSync(file, backup)
  await store.set('THREE', 'third')
  t.deepEqual(await open().names(), ['ONE', 'THREE'])
})
