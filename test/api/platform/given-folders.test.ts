import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { readLocalFile } from '../../../src/daemon/knowledge/documents/local-file.js'
import { synchronise } from '../../helpers/connectors.js'
import { desktopFolder } from '../../helpers/discord/desktop.js'
import { codeProject, enableCode } from '../../helpers/indexed-project.js'
import { settledSource } from '../../helpers/sources.js'
import { startTeam } from '../../helpers/team.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'

test('a credential has files read only below the folders given to it, admins any (security.md#modes)', async t => {
  const home = temporaryFolder(t)
  const [given, other] = [join(home, 'given'), join(home, 'other')]
  for (const folder of [given, other]) mkdirSync(folder)
  writeFileSync(join(given, 'a.md'), 'open')
  writeFileSync(join(other, 'key.md'), 'the private key')
  symlinkSync(join(other, 'key.md'), join(given, 'link.md'))
  const settings = { embedding: { provider: 'none' }, auth: { folders: { codex: [given] } } }
  const team = await startTeam(t, { settings })
  const [codex, maya] = [
    await team.key({ name: 'codex', role: 'operator' }),
    await team.key({ name: 'maya', role: 'operator' }),
  ]

  const asked = async (headers: Record<string, string>, file: string, folder: string) => [
    (await team.call('POST /api/documents', { body: { source_type: 'file', url: file }, headers })).status,
    (
      await team.call('POST /api/connectors', {
        body: { provider: 'filesystem', settings: { rootPath: folder } },
        headers,
      })
    ).status,
    (await team.call('POST /api/sources/notevault', { body: { path: folder }, headers })).status,
    (await team.call('POST /api/sources/import', { body: { paths: [file] }, headers })).status,
  ]
  const refused = [403, 403, 403, 403]
  t.deepEqual(await asked(codex.headers, join(other, 'key.md'), other), refused)
  t.deepEqual(await asked(codex.headers, join(given, 'link.md'), join(given, '..', 'other')), refused)
  t.deepEqual(await asked(codex.headers, join(given, 'missing.md'), join(given, 'missing')), refused)
  t.deepEqual(await asked(maya.headers, join(given, 'a.md'), given), refused)
  t.false((await asked(codex.headers, join(given, 'a.md'), given)).includes(403))
  t.false((await asked(team.admin, join(other, 'key.md'), other)).includes(403))
  team.daemon.changeSettings({ 'auth.folders': { '*': [other] } })
  t.false((await asked(maya.headers, join(other, 'key.md'), other)).includes(403))
})

test('a credential has no cache of Discord read unless its folder is given, and only while it is (security.md#files-of-this-machine)', async t => {
  // Other systems keep the cache elsewhere.
  if (process.platform !== 'linux') return t.pass()
  const home = temporaryFolder(t)
  const cache = desktopFolder(home, { 'Local Storage/leveldb/000003.log': '', 'Cache/Cache_Data/0_0': '' })
  const settings = { embedding: { provider: 'none' }, auth: {} }
  const team = await startTeam(t, { settings, environment: { HOME: home, XDG_CONFIG_HOME: '' } })
  const { headers } = await team.key({ name: 'codex', role: 'operator' })
  const body = { syncMode: 'desktop-cache' as const, desktopCachePath: cache }
  const add = () => team.call('POST /api/sources/chatguild', { body, headers })
  t.is((await add()).status, 403)
  team.daemon.changeSettings({ 'auth.folders': { codex: [cache] } })
  const params = { sourceId: (await add()).body.source.id }
  const asAdmin = {
    call: (name: never, options: object) => team.call(name, { ...options, headers: team.admin }),
  }
  t.is((await settledSource(asAdmin as never, params.sourceId)).indexJob?.status, 'complete')
  team.daemon.changeSettings({ 'auth.folders': {} })
  await team.call('POST /api/sources/:sourceId/sync', { params, headers: team.admin })
  const { indexJob } = await settledSource(asAdmin as never, params.sourceId)
  t.regex(indexJob?.statusMessage ?? '', /auth\.folders/u)
})

test('a document whose text is sent may have any path', async t => {
  const team = await startTeam(t, { settings: { embedding: { provider: 'none' } } })
  const { headers } = await team.key({ name: 'codex', role: 'agent' })
  const body = { source_type: 'file', url: '/etc/hosts', content: 'its text' } as const
  t.is((await team.call('POST /api/documents', { body, headers })).status, 201)
})

test('a folder below a given one that is swapped for a link later is not read', async t => {
  const home = temporaryFolder(t)
  const [given, other] = [join(home, 'given'), join(home, 'other')]
  for (const folder of [join(given, 'notes'), other]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(given, 'notes', 'a.md'), 'a harmless note')
  writeFileSync(join(other, 'a.md'), 'the private key')
  const settings = { embedding: { provider: 'none' }, auth: { folders: { codex: [given] } } }
  const team = await startTeam(t, { settings })
  const { headers } = await team.key({ name: 'codex', role: 'operator' })
  const rootPath = join(given, 'notes')
  const body = { provider: 'filesystem' as const, settings: { rootPath, patterns: ['**/*.md'] } }
  const { id } = (await team.call('POST /api/connectors', { body, headers })).body
  const asAdmin = {
    call: (name: never, options: object) => team.call(name, { ...options, headers: team.admin }),
  }
  const sync = () => synchronise(asAdmin as never, id)
  t.like(await sync(), { last_error: null })

  renameSync(rootPath, `${rootPath}-before`)
  symlinkSync(other, rootPath)
  t.regex(JSON.stringify(await sync()), /leads out of, a folder that is given/u)
  await t.throwsAsync(readLocalFile(team.daemon, join(rootPath, 'a.md')), {
    message: /leads out of the folder/u,
  })
  const asked = { source_type: 'file', url: join(rootPath, 'a.md') } as const
  t.is((await team.call('POST /api/documents', { body: asked, headers })).status, 403)
  renameSync(rootPath, `${rootPath}-link`)
  renameSync(`${rootPath}-before`, rootPath)
  t.is((await readLocalFile(team.daemon, join(rootPath, 'a.md'))).toString(), 'a harmless note')
})

test('a given folder that is itself a link gives nothing', async t => {
  const home = temporaryFolder(t)
  const [real, link] = [join(home, 'real'), join(home, 'link')]
  mkdirSync(real)
  writeFileSync(join(real, 'a.md'), 'words')
  symlinkSync(real, link)
  const settings = { embedding: { provider: 'none' }, auth: { folders: { '*': [link] } } }
  const team = await startTeam(t, { settings })
  const { headers } = await team.key({ name: 'codex', role: 'operator' })
  for (const url of [join(link, 'a.md'), join(real, 'a.md')]) {
    const body = { source_type: 'file', url } as const
    t.is((await team.call('POST /api/documents', { body, headers })).status, 403)
  }
})

test('a credential has code indexed only below the folders given to it, also through its sessions (security.md#files-of-this-machine)', async t => {
  const { root: given } = codeProject(t)
  const { root: other } = codeProject(t)
  const settings = { embedding: { provider: 'none' }, auth: { folders: { codex: [given] } } }
  const team = await startTeam(t, { settings })
  await enableCode({ call: (name, asked) => team.call(name, { ...asked, headers: team.admin }) })
  const { headers } = await team.key({ name: 'codex', role: 'agent' })
  for (const cwd of [given, other])
    await team.call('POST /api/hooks/session-start', {
      body: { harness: 'codex', sessionKey: cwd, cwd, project: cwd },
      headers,
    })
  const index = async (project: string, named: boolean) =>
    (await team.call('POST /api/code/index', { body: { project, named }, headers })).status
  t.deepEqual([await index(other, true), await index(other, false)], [403, 403])
  t.deepEqual([await index(given, true), await index(given, false)], [202, 202])
  const { body } = await team.call('POST /api/code/index', { body: { project: other }, headers: team.admin })
  t.is(body.project, other)
})

test('a folder taken out of auth.folders is not read any more by what a credential had named there', async t => {
  const home = temporaryFolder(t)
  const [given, own] = [join(home, 'given'), join(home, 'own')]
  for (const folder of [given, own]) mkdirSync(folder)
  for (const folder of [given, own]) writeFileSync(join(folder, 'a.md'), 'a note')
  const settings = { embedding: { provider: 'none' }, auth: { folders: { codex: [given] } } }
  const team = await startTeam(t, { settings })
  const { headers } = await team.key({ name: 'codex', role: 'operator' })
  const asAdmin = {
    call: (name: never, options: object) => team.call(name, { ...options, headers: team.admin }),
  }
  const connector = async (rootPath: string, as: Record<string, string>) => {
    const body = { provider: 'filesystem' as const, settings: { rootPath, givenTo: 'nobody' } }
    return (await team.call('POST /api/connectors', { body, headers: as })).body.id
  }
  const [named, owned] = [await connector(given, headers), await connector(own, team.admin)]
  const errorOf = async (id: string) => (await synchronise(asAdmin as never, id)).last_error
  t.deepEqual([await errorOf(named), await errorOf(owned)], [null, null])
  const vault = await team.call('POST /api/sources/notevault', { body: { path: given }, headers })
  const params = { sourceId: vault.body.source.id }
  const read = async () => (await settledSource(asAdmin as never, params.sourceId)).indexJob
  t.is((await read())?.status, 'complete')

  team.daemon.changeSettings({ 'auth.folders': {} })
  t.regex((await errorOf(named)) ?? '', /auth\.folders/u)
  t.is(await errorOf(owned), null)
  await team.call('POST /api/sources/:sourceId/sync', { params, headers: team.admin })
  t.regex((await read())?.statusMessage ?? '', /auth\.folders/u)
  team.daemon.changeSettings({ 'auth.folders': { '*': [given] } })
  t.is(await errorOf(named), null)
})
