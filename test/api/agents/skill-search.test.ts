import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { type FakeHandler, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'
import { putSkill } from '../../helpers/skills.js'

const found = [
  { id: 'ada/skills/tidy', name: 'tidy', installs: 12, source: 'ada/skills', description: 'tidies\nup' },
  { id: 'bob/skills/other', name: 'other', installs: 1, source: 'bob/skills' },
  'no skill',
]

test('a search queries the registry and marks installed skills', async t => {
  const { url, requests } = await startHttpFake(t, (_request, response) =>
    sendJson(response, 200, { skills: found }),
  )
  const { call, paths } = await startDaemon(t, { environment: { SKILLS_API_URL: `${url}/base/` } })
  putSkill(paths, 'other')
  const { status, body } = await call('GET /api/skills/search', { query: { q: 'tidy up', limit: 5 } })
  t.is(status, 200)
  t.deepEqual(body.results, [
    { name: 'tidy', description: 'tidies up', installed: false, source: 'ada/skills', installs: 12 },
    { name: 'other', description: '', installed: true, source: 'bob/skills', installs: 1 },
  ])
  t.is(body.success, undefined)
  t.is(requests[0]?.path, '/base/api/search?q=tidy+up&limit=5')
})

test('a search without words is 400', async t => {
  const { call } = await startDaemon(t)
  for (const query of [{}, { q: ' ' }, { q: 'a', limit: 0 }, { q: 'a', limit: 101 }])
    t.like(await call('GET /api/skills/search', { query }), {
      status: 400,
      body: { code: 'validation_failed' },
    })
})

const faults: [string, FakeHandler, RegExp][] = [
  ['answers with an error', (_request, response) => sendJson(response, 500, {}), /answered 500/],
  [
    'redirects',
    (_request, response) => sendJson(response, 302, {}, { location: 'http://127.0.0.1:1/' }),
    /answered 302/,
  ],
  [
    'does not answer JSON',
    (_request, response) => response.end('<html>'),
    /did not answer with a list of skills/,
  ],
  [
    'answers something else',
    (_request, response) => sendJson(response, 200, { skills: 'none' }),
    /did not answer with a list of skills/,
  ],
  ['never stops sending', (_request, response) => response.end('x'.repeat(2_000_000)), /more than/],
  ['hangs up', (_request, response) => response.destroy(), /can't be reached/],
]

for (const [what, handler, words] of faults)
  test(`a registry that ${what} gives no results, with the reason`, async t => {
    const { url } = await startHttpFake(t, handler)
    const { call } = await startDaemon(t, { environment: { SKILLS_API_URL: url } })
    const { status, body } = await call('GET /api/skills/search', { query: { q: 'tidy' } })
    t.is(status, 200)
    t.like(body, { results: [], success: false })
    t.regex(body.error ?? '', words)
  })

test('an invalid registry address, or one with a password, is not queried', async t => {
  for (const address of ['skills.sh', 'ftp://host', 'https://me:secret@host']) {
    const { call } = await startDaemon(t, { environment: { SKILLS_API_URL: address } })
    const { body } = await call('GET /api/skills/search', { query: { q: 'tidy' } })
    t.regex(body.error ?? '', /SKILLS_API_URL/)
    t.false((body.error ?? '').includes('secret'))
  }
})
