import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { newRecoveryCode } from '../../../src/lib/keys/recovery-code.js'
import { recipientOf } from '../../../src/lib/keys/sealed-stream.js'
import { ageIdentityOf, keyOfRecoveryCode } from '../../../src/lib/keys/workspace-key.js'
import { backUp, pathsIn, spoil } from '../../helpers/archives.js'
import { startDaemon, type TestDaemon, temporaryWorkspace } from '../../helpers/daemon.js'

/** Without this, the scheduled backup starts a minute after the daemon, mid-test on a busy machine. */
const unscheduled = { settings: { backup: { enabled: false } } }
const planted = 'the zorgleflux crane is painted vermilion'

async function setKey({ call }: TestDaemon, code = newRecoveryCode(), replace = false): Promise<string> {
  const { status, body } = await call('POST /api/workspace-key', { body: { code, replace } })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return code
}

async function newIdentity() {
  const identity = ageIdentityOf(keyOfRecoveryCode(newRecoveryCode())!)
  return { identity, recipient: await recipientOf(identity) }
}

async function restart(t: ExecutionContext, { paths, stop }: TestDaemon): Promise<TestDaemon> {
  await stop()
  return startDaemon(t, { ...unscheduled, workspace: paths.root })
}

test('with a key, a backup is sealed, contains no readable word, and is restored by its own workspace (operations.md 4.7)', async t => {
  const first = await startDaemon(t, unscheduled)
  await first.remember(planted)
  const plain = await backUp(first)
  t.false(plain.sealed)
  await setKey(first)
  const made = await backUp(first)
  t.like(made, { sealed: true, memories: 1, problems: [] })
  t.regex(made.file, /\.tar\.gz\.age$/u)
  const bytes = readFileSync(made.file)
  t.true(bytes.subarray(0, 22).equals(Buffer.from('age-encryption.org/v1\n')))
  t.false(bytes.includes('memories.db') || bytes.includes('zorgleflux'))
  const list = (await first.call('GET /api/backup')).body.backups
  t.deepEqual(
    list.map(({ id, sealed }) => [id, sealed]).sort(),
    [
      [made.id, true],
      [plain.id, false],
    ].sort() as never,
  )
  t.like((await first.call('POST /api/backup/:id/verify', { params: made })).body, { ok: true, memories: 1 })
  await first.remember('a later memory')
  const { status } = await first.call('POST /api/backup/:id/restore', {
    params: made,
    body: { confirm: true },
  })
  t.is(status, 200)
  const second = await restart(t, first)
  t.is((await second.call('GET /api/memories')).body.memories.length, 1)
  t.true((await backUp(second)).sealed)
})

test('a sealed backup opens elsewhere by its recovery code or a key of backup.recipients, and else is refused, never empty (operations.md 4.7)', async t => {
  const other = await newIdentity()
  const settings = { backup: { enabled: false, recipients: [other.recipient] } }
  const first = await startDaemon(t, { settings })
  await first.remember(planted)
  const refused = await first.call('POST /api/backup', { body: {} })
  t.is(refused.status, 500)
  t.regex(refused.body.error ?? '', /memory key create/u)
  const code = await setKey(first)
  const { file } = await backUp(first)
  const second = await startDaemon(t, unscheduled)
  await second.remember('a memory of the other machine')
  const restore = (key?: string, dryRun = true) =>
    second.call('POST /api/backup/restore', { body: { file, dryRun, confirm: !dryRun, ...(key && { key }) } })
  const none = await restore(undefined, false)
  t.like(none, { status: 422, body: { code: 'backup_sealed' } })
  t.regex(none.body.error ?? '', /sealed; give the recovery code/u)
  await setKey(second)
  for (const wrong of [undefined, newRecoveryCode(), (await newIdentity()).identity]) {
    const { status, body } = await restore(wrong, false)
    t.like({ status, code: body.code }, { status: 422, code: 'backup_sealed' })
    t.regex(body.error ?? '', /sealed for another key/u)
  }
  t.like(await restore('ABCD-EFGH'), { status: 400, body: { code: 'validation_failed' } })
  t.is((await second.call('GET /api/backup')).body.pendingRestore, null)
  t.is((await second.call('GET /api/memories')).body.memories.length, 1)
  t.false(existsSync(second.paths.restore) && readdirSync(second.paths.restore).length > 0)
  for (const key of [code, code.toLowerCase(), other.identity])
    t.like((await restore(key)).body, { memories: { now: 1, inBackup: 1 } })
  t.like(await second.call('POST /api/backup/verify', { body: { file } }), { status: 422 })
  t.like((await second.call('POST /api/backup/verify', { body: { file, key: code } })).body, { ok: true })
  t.is((await restore(code, false)).status, 200)
  const third = await restart(t, second)
  t.is((await third.call('GET /api/memories')).body.memories[0]?.content, planted)
})

test('a cut or changed sealed backup is damaged, not another key (operations.md 4.7)', async t => {
  const daemon = await startDaemon(t, unscheduled)
  await daemon.remember(planted)
  await setKey(daemon)
  const cut = await backUp(daemon)
  truncateSync(cut.file, cut.bytes - 100)
  const verify = async (params: { id: string }) =>
    (await daemon.call('POST /api/backup/:id/verify', { params })).body
  t.like(await verify(cut), { ok: false })
  t.regex((await verify(cut)).problems.join(), /damaged/u)
  const changed = await backUp(daemon)
  spoil(changed.file, 1000)
  t.regex((await verify(changed)).problems.join(), /damaged/u)
})

test('a replaced key still opens earlier backups, and a locked or lost store still seals (operations.md 4.7)', async t => {
  const first = await startDaemon(t, unscheduled)
  await first.remember(planted)
  await setKey(first)
  const old = await backUp(first)
  const code = newRecoveryCode()
  t.is((await first.call('POST /api/workspace-key', { body: { code } })).status, 409)
  await setKey(first, code, true)
  t.like((await first.call('POST /api/backup/:id/verify', { params: old })).body, { ok: true })
  const { identities } = (await first.call('POST /api/workspace-key/identity', { body: {} })).body
  t.is(identities.length, 2)
  const passphrase = 'a long passphrase'
  await first.call('POST /api/secrets/store/protect', { body: { source: 'passphrase', passphrase } })
  const second = await restart(t, first)
  const status = (await second.call('GET /api/workspace-key')).body
  t.like(status, { state: 'closed', recipient: await recipientOf(identities[0]!) })
  const made = await backUp(second)
  t.true(made.sealed)
  t.like(await second.call('POST /api/backup/:id/verify', { params: made }), { status: 409 })
  const verify = { params: made, body: { key: code } }
  t.like((await second.call('POST /api/backup/:id/verify', verify)).body, { ok: true })
  rmSync(join(second.paths.secretsDir, 'workspace.pub'))
  const locked = await second.call('POST /api/backup', { body: {} })
  t.like(locked, { status: 409, body: { code: 'secret_store_locked' } })
  await second.call('POST /api/secrets/store/unlock', { body: { passphrase } })
  t.true((await backUp(second)).sealed)
})

test('scheduled sealed backups are rotated, and no archive is packed into another (operations.md 4.2)', async t => {
  const folder = temporaryWorkspace(t)
  const daemon = await startDaemon(t, { settings: { backup: { enabled: false, folder, keep: 1 } } })
  await daemon.remember(planted)
  await setKey(daemon)
  const made = await backUp(daemon)
  writeFileSync(join(daemon.paths.root, basename(made.file)), readFileSync(made.file))
  const { identities } = (await daemon.call('POST /api/workspace-key/identity', { body: {} })).body
  if (spawnSync('age', ['--version']).error) return t.pass('the tool age is not installed')
  const again = await backUp(daemon)
  writeFileSync(join(folder, 'key.txt'), `${identities[0]}\n`)
  const plain = join(folder, 'plain.tar.gz')
  execFileSync('age', ['--decrypt', '-i', join(folder, 'key.txt'), '-o', plain, again.file])
  const inside = pathsIn(plain)
  t.true(
    inside.includes('workspace/memory/memories.db') && inside.includes('workspace/.secrets/workspace.pub'),
  )
  t.false(inside.some(path => path.endsWith('.age') || path.includes('machine.key')))
})
