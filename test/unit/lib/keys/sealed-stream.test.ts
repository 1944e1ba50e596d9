import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { newRecoveryCode } from '../../../../src/lib/keys/recovery-code.js'
import { recipientOf, SealFault, seal, unsealed } from '../../../../src/lib/keys/sealed-stream.js'
import { ageIdentityOf, keyOfRecoveryCode } from '../../../../src/lib/keys/workspace-key.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

async function* pieces(bytes: Buffer, size = 10_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function all(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const found: Buffer[] = []
  for await (const piece of source) found.push(piece)
  return Buffer.concat(found)
}

async function newKey() {
  const identity = ageIdentityOf(keyOfRecoveryCode(newRecoveryCode())!)
  return { identity, recipient: await recipientOf(identity) }
}

const kindOf = (error: unknown) => (error as SealFault).kind

test('each recipient opens a sealed stream, nobody else does, and a plain stream passes unchanged', async t => {
  const [own, other, stranger] = [await newKey(), await newKey(), await newKey()]
  for (const length of [0, 1, 65_536, 200_001]) {
    const text = randomBytes(length)
    const sealed = await all(await seal(pieces(text), [own.recipient, other.recipient]))
    for (const { identity } of [own, other])
      t.deepEqual(await all(unsealed(pieces(sealed, 777), [stranger.identity, identity])), text)
    for (const wrong of [[stranger.identity], [], ['AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQ']])
      t.is(kindOf(await t.throwsAsync(all(unsealed(pieces(sealed), wrong)))), 'no-key')
  }
  for (const plain of ['', 'a', 'age-encryption.org/v2\nno'])
    t.is(String(await all(unsealed(pieces(Buffer.from(plain), 3), []))), plain)
})

test('a flipped bit or a cut anywhere in a sealed stream is noticed', async t => {
  const { identity, recipient } = await newKey()
  const sealed = await all(await seal(pieces(randomBytes(70_000)), [recipient]))
  const places = [25, 60, 100, 150, 180, 300, 65_000, 66_000, sealed.length - 1]
  for (const at of places) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    t.true((await t.throwsAsync(all(unsealed(pieces(changed), [identity])))) instanceof SealFault, `${at}`)
    t.is(kindOf(await t.throwsAsync(all(unsealed(pieces(sealed.subarray(0, at)), [identity])))), 'damaged')
  }
})

const noAge = spawnSync('age', ['--version']).error ? 'the tool age is not installed' : undefined

test(`the tool age opens what we seal, and we open what it seals${noAge ? ` (skipped: ${noAge})` : ''}`, async t => {
  if (noAge) return t.pass()
  const folder = temporaryFolder(t)
  const place = (name: string) => join(folder, name)
  const { identity, recipient } = await newKey()
  const text = randomBytes(150_000)
  writeFileSync(place('key.txt'), `${identity}\n`)
  writeFileSync(place('ours.age'), await all(await seal(pieces(text), [recipient])))
  execFileSync('age', ['--decrypt', '-i', place('key.txt'), '-o', place('plain'), place('ours.age')])
  t.deepEqual(readFileSync(place('plain')), text)
  execFileSync('age', ['-r', recipient, '-o', place('theirs.age'), place('plain')])
  t.deepEqual(await all(unsealed(pieces(readFileSync(place('theirs.age'))), [identity])), text)
})
