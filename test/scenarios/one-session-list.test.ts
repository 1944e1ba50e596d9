// runs: in turn

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { capture } from '../helpers/captures.js'
import { daemonHere, runHere } from '../helpers/commands-here.js'
import { startSession } from '../helpers/hooks.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const said = (hour: number, ...texts: string[]) =>
  texts.map((text, n) => ({
    role: n % 2 ? 'assistant' : 'user',
    text,
    timestamp: `2026-03-01T${hour}:00:${String(n).padStart(2, '0')}.000Z`,
  }))

test('live, captured, forked and imported sessions are in one list with title, messages and memories', async t => {
  const daemon = await daemonHere(t)
  const { call } = daemon
  const first = said(10, 'Repair the crane', 'Done', 'Now the boat', 'Done too')
  await startSession(daemon, { sessionKey: 'parent', project: '/shop' })
  await call('POST /api/memory/remember', { body: { content: 'the crane is red', sessionId: 'parent' } })
  await capture(daemon, { sessionKey: 'parent', transcript: first, project: '/shop' })
  const fork = [...first, ...said(11, 'Paint it blue instead', 'It is blue')]
  await capture(daemon, { sessionKey: 'fork', transcript: fork, project: '/shop' })
  const folder = join(temporaryFolder(t, 'memory-sessions'), '-home-me-shop')
  mkdirSync(folder)
  const line = { type: 'user', sessionId: 'old', cwd: '/home/me/shop', timestamp: '2026-01-01T10:00:00.000Z' }
  const prompt = { ...line, uuid: 'u1', message: { role: 'user', content: 'Write the harbour tests' } }
  writeFileSync(join(folder, 'old.jsonl'), `${JSON.stringify(prompt)}\n`)
  const imported = await runHere(t, ['import', 'transcripts', '--from', 'claude-code', folder])
  t.is(imported.code, 0, imported.stderr)
  const { sessions } = (await runHere(t, ['sessions', 'list', '--json'])).json()
  const of = (key: string) => sessions.find((one: { key: string }) => one.key === key)
  t.like(of('parent'), { title: 'Repair the crane', turns: 4, memories: 1, project: '/shop', forkOf: null })
  t.like(of('fork'), { title: 'Paint it blue instead', turns: 2, forkOf: 'parent' })
  t.like(of('old'), { title: 'Write the harbour tests', harness: 'claude-code', turns: 1, isLive: false })
  const { stdout } = await runHere(t, ['sessions', 'list'])
  t.regex(stdout, /^fork\t.*\tpast\t2\t0\tparent\tPaint it blue instead$/mu)
  const { body } = await call('GET /api/sessions')
  t.false(
    body.sessions.some(({ key }) => key === 'old'),
    'past sessions are listed on request only',
  )
})
