import test from 'ava'
import { runCli } from '../helpers/cli.js'

test('memory telemetry shows each event as stored, and turns events off and on; memory stats shows usage', async t => {
  await runCli(t, ['recall', 'marked query'])
  const shown = await runCli(t, ['telemetry', 'show', '--event', 'recall.attempted'])
  const [line = ''] = shown.stdout.trim().split('\n')
  t.like(JSON.parse(line), { event: 'recall.attempted', properties: { surface: 'explicit_api' } })
  const exported = await runCli(t, ['telemetry', 'export'])
  t.true(exported.stdout.includes(line))
  t.notRegex(exported.stdout, /marked/u)
  t.regex((await runCli(t, ['telemetry', 'status'])).stdout, /^recording +on$/mu)
  t.regex((await runCli(t, ['telemetry', 'stats'])).stdout, /^recalls +1 \(keyword 1\)/mu)
  const { stdout } = await runCli(t, ['stats', '--endpoints'])
  t.regex(stdout, /^memories +0 saved, 1 recall, /mu)
  t.regex(stdout, /^1 +0 +\S+ m?s +POST \/api\/memory\/recall$/mu)
  t.like((await runCli(t, ['stats', '--json'])).json() as object, {
    latency: { recall: { count: 1 } },
    errors: { summary: { total: 0 } },
    continuity: { summary: { count: 0 } },
    projects: [],
  })
  t.like((await runCli(t, ['telemetry', 'off', '--json'])).json() as object, { enabled: false })
  await runCli(t, ['daemon', 'restart'])
  t.like((await runCli(t, ['telemetry', 'status', '--json'])).json() as object, { enabled: false })
  t.like((await runCli(t, ['telemetry', 'on', '--json'])).json() as object, { enabled: true })
})
