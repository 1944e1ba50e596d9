import test from 'ava'
import { connect, notesFolder, synchronise } from '../../helpers/connectors.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { factsOf, runDreamPass } from '../../helpers/dreaming.js'
import { startGithub } from '../../helpers/github-fake.js'
import { readAgain, removeWholly, settledSource } from '../../helpers/sources.js'

function manifest(dependencies: Readonly<Record<string, string>>, version = '1.0.0'): string {
  return `${JSON.stringify({ name: 'lantern', version, dependencies }, null, 2)}\n`
}

/** Current facts and links of an entity. */
async function knownOf(daemon: TestDaemon, name: string): Promise<string[]> {
  const { body } = await daemon.call('GET /api/ontology/entities/:id', { params: { id: name } })
  const links = (body.links ?? []).map(link => `${link.relation} ${link.entity.name}`)
  return [...(await factsOf(daemon, name)), ...links].sort()
}

async function statusesOf(daemon: TestDaemon, claim: string): Promise<string[]> {
  const { body } = await daemon.call('GET /api/ontology/claims/explain', {
    query: { entity: 'lantern', aspect: 'versions', group: 'general', claim },
  })
  return body.versions.map(({ value, status }) => `${value} ${status}`)
}

test('manifests of a connected repository give facts, which follow the files (sources.md#manifests-of-projects)', async t => {
  const files: Record<string, string> = {
    'README.md': '# Lantern',
    'package.json': manifest({ fastify: '^4.0.0', undici: '^6.0.0' }),
    '.github/CODEOWNERS': '* @acme/light\n',
    'node_modules/other/package.json': '{"name":"other","version":"9.9.9"}',
    'src/index.ts': 'export {}',
  }
  const github = await startGithub(t, { 'octo/site': { files } })
  const sources = { coderepo: { apiBaseUrl: github.base } }
  const daemon = await startDaemon(t, { settings: { sources } })
  const added = await daemon.call('POST /api/sources/coderepo', { body: { repo: 'octo/site' } })
  const source = added.status === 200 ? added.body.source.id : ''
  await settledSource(daemon, source)
  await runDreamPass(daemon)
  t.deepEqual(await knownOf(daemon, 'lantern'), [
    'depends on fastify',
    'depends on undici',
    'versions fastify version = ^4.0.0',
    'versions undici version = ^6.0.0',
    'versions version = 1.0.0',
  ])
  t.deepEqual(await knownOf(daemon, 'site'), ['owns @acme/light', 'people owner = @acme/light'])
  t.is((await daemon.call('GET /api/ontology/entities/:id', { params: { id: 'other' } })).status, 404)
  const repo = github.repo('octo/site')
  repo.files.set('package.json', Buffer.from(manifest({ fastify: '^5.1.0' }, '1.1.0')))
  await readAgain(daemon, source)
  const { counts } = await runDreamPass(daemon)
  t.is(counts.factsEnded, 2, JSON.stringify(counts))
  t.deepEqual(await knownOf(daemon, 'lantern'), [
    'depends on fastify',
    'versions fastify version = ^5.1.0',
    'versions version = 1.1.0',
  ])
  t.deepEqual(await statusesOf(daemon, 'undici version'), ['^6.0.0 retracted'])
  t.deepEqual(await statusesOf(daemon, 'fastify version'), ['^5.1.0 current', '^4.0.0 superseded'])
  repo.files.set('package.json', Buffer.from(manifest({ fastify: '^5.1.0', undici: '^6.0.0' }, '1.1.0')))
  await readAgain(daemon, source)
  await runDreamPass(daemon)
  t.true((await knownOf(daemon, 'lantern')).includes('versions undici version = ^6.0.0'), 'it can come back')
  repo.files.delete('package.json')
  await readAgain(daemon, source)
  await runDreamPass(daemon)
  t.deepEqual(await knownOf(daemon, 'lantern'), [])
  t.deepEqual(await knownOf(daemon, 'site'), ['owns @acme/light', 'people owner = @acme/light'])
  t.is((await daemon.call('GET /api/ontology/proposals')).body.count, 0, 'nobody is asked')
  await removeWholly(daemon, source)
  await runDreamPass(daemon)
  t.deepEqual(await knownOf(daemon, 'site'), [])
})

test('manifests below a connected folder give facts, which follow the files (sources.md#manifests-of-projects)', async t => {
  const daemon = await startDaemon(t)
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`package-${n}`, `^${n}.0.0`]))
  const folder = notesFolder(t, {
    'package.json': manifest({ ...many, fastify: '^4.0.0' }),
    'deploy/compose.yaml': 'services:\n  db:\n    image: postgres:16\n',
  })
  const id = await connect(daemon, folder.root)
  await synchronise(daemon, id)
  await runDreamPass(daemon)
  const known = await knownOf(daemon, 'lantern')
  t.true(known.includes('versions fastify version = ^4.0.0'), known.join('\n'))
  t.is(known.filter(one => one.startsWith('depends on ')).length, 31)
  t.true((await knownOf(daemon, 'db')).includes('uses postgres'))
  folder.put('package.json', manifest({ fastify: '^5.1.0' }, '1.1.0'), new Date(Date.now() - 1_800_000))
  await synchronise(daemon, id)
  await runDreamPass(daemon)
  t.deepEqual(await knownOf(daemon, 'lantern'), [
    'depends on fastify',
    'versions fastify version = ^5.1.0',
    'versions version = 1.1.0',
  ])
  // Its passage was replaced, so its value is only shown again if the passage is recovered.
  t.deepEqual(await statusesOf(daemon, 'package-3 version'), ['null retracted'])
  t.is((await daemon.call('GET /api/ontology/proposals')).body.count, 0, 'nobody is asked')
  const [row] = (await daemon.call('GET /api/documents')).body.documents.filter(
    ({ title }) => title === 'package.json',
  )
  await daemon.call('DELETE /api/documents/:id', { params: { id: row?.id ?? '' }, query: { reason: 'old' } })
  await runDreamPass(daemon)
  t.deepEqual(await knownOf(daemon, 'lantern'), [])
})
