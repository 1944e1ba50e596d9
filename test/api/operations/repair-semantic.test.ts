import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { deduplicateToEnd } from '../../helpers/deduplicate.js'
import { letterCountReply, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'
import { openRaw } from '../../helpers/store.js'

test('paraphrased memories are merged, those that differ in a number or a name are not (operations.md 5.5)', async t => {
  // Texts with the same letters are similar.
  const provider = await startHttpFake(t, (request, response) =>
    sendJson(response, 200, letterCountReply(request)),
  )
  const daemon = await startDaemon(t, {
    settings: {
      embedding: {
        provider: 'openai',
        model: 'm',
        baseUrl: `${provider.url}/v1`,
        dimensions: 26,
        deadlineMs: 60_000,
      },
      repair: { cooldownMs: 0 },
    },
  })
  const contents = [
    'deploys go out on friday',
    'on friday go out deploys',
    'the port of staging is 8080',
    'the port of staging is 8081',
    'ask our Ana about billing',
    'about billing ask our Ana and no other',
  ]
  for (const content of contents) await daemon.remember(content)
  await daemon.remember('friday deploys go on out', { pinned: true })
  await daemon.remember('go out on friday deploys', { project: '/shop' })
  const raw = openRaw(t, daemon.paths.database)
  await until(() => raw.prepare('SELECT count(*) FROM memory_vectors').pluck().get() === 8 || undefined)
  const plain = await daemon.call('POST /api/repair/deduplicate')
  t.is(plain.body.affected, 0)
  const body = { semanticEnabled: true, semanticThreshold: 0.99 }
  const { body: dry } = await daemon.call('POST /api/repair/deduplicate', { body: { ...body, dryRun: true } })
  t.is(dry.affected, 2)
  t.deepEqual(await deduplicateToEnd(daemon, body), { affected: 2, near: 2 })
  const left = raw.prepare('SELECT content FROM memories WHERE is_deleted = 0 ORDER BY content').pluck().all()
  t.deepEqual(left, [...contents.slice(2), 'friday deploys go on out', 'go out on friday deploys'].sort())
  const [gone] = raw.prepare('SELECT id FROM memories WHERE is_deleted = 1').pluck().all() as string[]
  const recovered = await daemon.call('POST /api/memory/:id/recover', {
    params: { id: gone ?? '' },
    body: { reason: 'was none' },
  })
  t.is(recovered.status, 200)
  for (const semanticThreshold of [0.5, 2])
    t.is((await daemon.call('POST /api/repair/deduplicate', { body: { semanticThreshold } })).status, 400)
})
