import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { factsOf, runDreamPass } from '../../helpers/dreaming.js'

test('a note is read with its lines: headings, lists and tables of a save count (knowledge.md#what-is-read)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('# Billing service\n\n- port 8412\n- owned  by Dana\n', {
    project: 'shop',
  })
  const list = Array.from({ length: 60 }, (_, at) => `- step ${at} was checked again`).join('\n')
  await daemon.remember(`# Courier gateway\n\n${list}\n- port 8414`, { project: 'shop' })
  await daemon.remember('| Service | Port |\n|---|---|\n| ledger | 8413 |', { project: 'shop' })
  await runDreamPass(daemon)
  t.deepEqual(await factsOf(daemon, 'Billing service'), ['network port = 8412', 'people owner = Dana'])
  t.deepEqual(await factsOf(daemon, 'ledger'), ['network port = 8413'])
  t.deepEqual(await factsOf(daemon, 'Courier gateway'), ['network port = 8414'])
  const { body } = await daemon.call('GET /api/ontology/claims/explain', {
    query: { entity: 'Billing service', aspect: 'people', group: 'general', claim: 'owner' },
  })
  t.is(body.integrity.status, 'verified')
  t.like(body.versions[0]?.evidence[0], { sourceKind: 'memory', sourceId: id, quote: 'owned by Dana' })
})
