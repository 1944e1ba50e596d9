import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { DoctorContext } from '../../../../../src/cli/operations/doctor/finding.js'
import { machineChecks } from '../../../../../src/cli/operations/doctor/machine-checks.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { doctorContext } from './doctor-fakes.js'

const run = (id: string, context: DoctorContext) => machineChecks.find(check => check.id === id)!.run(context)

test('an old Node is an error', async t => {
  t.is((await run('node-version', await doctorContext(t))).severity, 'ok')
  const old = await run('node-version', await doctorContext(t, { nodeVersion: 'v20.18.3' }))
  t.like(old, { severity: 'error', evidence: 'v20.18.3 is older than 20.19.0' })
})

test('a missing workspace is info and can be created', async t => {
  const context = await doctorContext(t)
  await rm(context.paths.root, { recursive: true })
  const outcome = await run('workspace', context)
  t.is(outcome.severity, 'info')
  await outcome.repair!()
  t.is((await stat(context.paths.daemonDir)).mode & 0o777, 0o700)
  t.is((await run('workspace', context)).severity, 'ok')
})

test('a file in place of the workspace is an error', async t => {
  const context = await doctorContext(t)
  await rm(context.paths.root, { recursive: true })
  await writeFile(context.paths.root, '')
  t.like(await run('workspace', context), {
    severity: 'error',
    evidence: `${context.paths.root} is not a folder`,
  })
  for (const id of ['settings', 'database-file'])
    t.deepEqual(await run(id, context), {
      severity: 'info',
      evidence: 'not checked: the workspace cannot be used',
    })
})

test('faulty settings are reported with file, line and key', async t => {
  const context = await doctorContext(t)
  t.is((await run('settings', context)).severity, 'ok')
  await writeFile(context.paths.settings, 'daemon:\n  port: many\n')
  const faulty = await run('settings', context)
  t.is(faulty.severity, 'error')
  t.regex(faulty.evidence, /agent\.yaml:2: daemon\.port: /)
  await writeFile(context.paths.settings, 'daemon:\n  prot: 1\n')
  const unknown = await run('settings', context)
  t.is(unknown.severity, 'warning')
  t.regex(unknown.evidence, /agent\.yaml:2: daemon\.prot: unknown setting/)
})

test('little disk space is a warning, almost none is an error', async t => {
  const withFree = async (freeBytes: number) =>
    (await run('disk-space', await doctorContext(t, { freeBytes: async () => freeBytes }))).severity
  t.is(await withFree(2 * 1024 ** 3), 'ok')
  t.is(await withFree(500 * 1024 ** 2), 'warning')
  t.is(await withFree(50 * 1024 ** 2), 'error')
})

test('a database file is recognised by its header', async t => {
  const context = await doctorContext(t)
  t.is((await run('database-file', context)).severity, 'info')
  await mkdir(context.paths.memoryDir)
  await writeFile(context.paths.database, 'SQLite format 3\u0000 and pages')
  t.is((await run('database-file', context)).severity, 'ok')
  await writeFile(context.paths.database, 'something else entirely')
  t.is((await run('database-file', context)).severity, 'error')
})

test('the database size includes its log', async t => {
  const context = await doctorContext(t)
  await mkdir(context.paths.memoryDir)
  await writeFile(context.paths.database, `SQLite format 3\u0000${'p'.repeat(2032)}`)
  t.is((await run('database-file', context)).evidence, '2.0 KiB')
  await writeFile(`${context.paths.database}-wal`, 'w'.repeat(3072))
  t.is((await run('database-file', context)).evidence, '5.0 KiB, 3.0 KiB of it in memories.db-wal')
})

test('a workspace in the folder of a sync program is named, and so are the copies it kept', async t => {
  const context = await doctorContext(t)
  const { root, memoryDir } = context.paths
  t.is((await run('sync-program', context)).severity, 'ok')
  await mkdir(join(root, '.stfolder'))
  const inside = await run('sync-program', context)
  t.is(inside.severity, 'warning')
  t.true(inside.evidence.startsWith(`${root} is in ${root}, which a sync program`))
  await mkdir(memoryDir, { recursive: true })
  const kept = ['memories-LAPTOP.db', 'memories 2.db', 'memories.sync-conflict-20260101-ABC.db']
  for (const name of [...kept, 'memories.db', 'memories.db-wal', 'memories.db-shm'])
    await writeFile(join(memoryDir, name), '')
  const { evidence } = await run('sync-program', context)
  t.true(
    kept.every(name => evidence.includes(name)),
    evidence,
  )
  t.regex(evidence, /kept 3 copies/)
})

test('names of sync programs are known in every spelling', async t => {
  for (const name of ['Dropbox', 'OneDrive - Contoso', 'Google Drive', 'iCloud Drive']) {
    const context = await doctorContext(t)
    const paths = workspacePaths(join(context.paths.root, name, 'memory'))
    t.is((await run('sync-program', { ...context, paths })).severity, 'warning', name)
  }
})
