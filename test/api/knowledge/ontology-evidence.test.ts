import test from 'ava'
import { capture } from '../../helpers/captures.js'
import { startDaemon } from '../../helpers/daemon.js'
import { submitPrompt } from '../../helpers/hooks.js'
import { perform } from '../../helpers/ontology.js'
import { putNote, readAgain, readVault, vaultOf } from '../../helpers/sources.js'

const slot = { entity: 'Orion', aspect: 'deployment', claim: 'database' }
const common = { reason: 'a test', confidence: 0.9 } as const

test('conversations, summaries and artifacts are valid sources while they still contain the quote (knowledge.md#evidence)', async t => {
  const daemon = await startDaemon(t)
  const line = (role: string, text: string) =>
    JSON.stringify({ type: role, message: { role, content: text }, timestamp: '2026-01-01T00:00:00Z' })
  const talk = [line('user', 'what does Orion run on?'), line('assistant', 'Orion runs on Postgres.')].join(
    '\n',
  )
  await capture(daemon, { sessionKey: 's1', project: '/shop', transcript: talk })
  const root = vaultOf(t, { 'orion.md': '# Orion\n\nOrion is deployed on Tuesdays.' })
  const { id: sourceId } = await readVault(daemon, root)
  const { body } = await daemon.call('GET /api/sources/:sourceId/artifacts', { params: { sourceId } })
  const artifact = body.artifacts[0]?.id ?? ''
  const from = (sourceKind: 'transcript' | 'artifact' | 'summary', id: string, quote: string) => [
    { sourceKind, sourceId: id, quote },
  ]
  const assert = (claim: string, value: string, evidence: ReturnType<typeof from>) =>
    ({ ...common, operation: 'assert_claim', payload: { ...slot, claim, value }, evidence }) as const
  const create = { name: 'Orion', type: 'project' }
  const results = await perform(daemon, [
    { ...common, operation: 'create_entity', payload: create, evidence: from('artifact', artifact, 'Orion') },
    assert('day', 'Tuesday', from('artifact', artifact, 'deployed on Tuesdays')),
    assert('database', 'Postgres', from('transcript', 'session:s1', 'runs on Postgres')),
    assert('database', 'Postgres', from('transcript', 's1', 'run on?\nOrion runs')),
    assert('database', 'Postgres', from('transcript', 's2', 'Postgres')),
    assert('day', 'Friday', from('summary', 'nothing', 'Friday')),
  ])
  t.deepEqual(
    results.map(({ status, blockedReason }) => blockedReason ?? status),
    ['applied', 'applied', 'applied', 'evidence_mismatch', 'source_not_found', 'source_not_found'],
  )
  const told = async (project: string) =>
    (await submitPrompt(daemon, 'tell me of Orion', { project })).body.inject
  t.regex(await told('/shop'), /database: Postgres/)
  t.regex(await told('/shop'), /day: Tuesday/)
  t.notRegex(await told('/bank'), /Postgres/)
  const explain = async (claim: string) =>
    (await daemon.call('GET /api/ontology/claims/explain', { query: { ...slot, claim, group: 'general' } }))
      .body
  const database = await explain('database')
  t.like(database.versions[0], { project: '/shop', sessionKey: 's1', value: 'Postgres' })
  t.is(database.integrity.status, 'verified')
  await capture(daemon, {
    sessionKey: 's1',
    project: '/shop',
    transcript: `${talk}\n${line('user', 'thanks')}`,
  })
  t.is((await explain('database')).integrity.status, 'verified', 'the conversation grew')
  putNote(root, 'orion.md', '# Orion\n\nOrion is deployed on Fridays.')
  await readAgain(daemon, sourceId)
  const changed = await explain('day')
  t.like(changed.versions[0], { status: 'unsupported' })
  t.is(changed.integrity.status, 'broken')
  await daemon.call('DELETE /api/sources/:sourceId', { params: { sourceId } })
  t.is((await explain('day')).integrity.status, 'unsupported')
  t.notRegex(await told('/shop'), /Tuesday/)
})
