// runs: in turn

import test from 'ava'
import { daemonHere, runHere } from '../helpers/commands-here.js'

const runbook = [
  'Restart the billing worker with this job:',
  'job:',
  '  name: billing',
  '  steps:',
  '    - run: systemctl restart billing',
  '\t# a tab stays',
].join('\n')
const flat = runbook.replace(/\s+/gu, ' ')

test('a text with lines is shown as it was given, and its content is one line', async t => {
  const { call } = await daemonHere(t)
  const saved = (await runHere(t, ['remember', '-', '--json'], { stdin: `\n${runbook}\n\n` })).json()
  t.is(saved.content, flat)
  const { body } = await call('GET /api/memory/:id', { params: { id: saved.id } })
  t.like(body, { content: flat, verbatim: runbook })
  t.true((await runHere(t, ['get', saved.id])).stdout.startsWith(`${runbook}\n\n`))
  t.true((await runHere(t, ['recall', 'restart billing worker'])).stdout.includes('\n      steps:\n'))
})

test('texts that differ only in white space are one memory; the first form stays', async t => {
  const { call } = await daemonHere(t)
  const first = (await runHere(t, ['remember', '-', '--json'], { stdin: runbook })).json()
  const again = (await runHere(t, ['remember', '-', '--json'], { stdin: `${flat}.` })).json()
  t.like(again, { id: first.id, deduped: true })
  const { body } = await call('GET /api/memory/:id', { params: { id: first.id } })
  t.is(body.verbatim, runbook)
  const plain = (await runHere(t, ['remember', 'one line', '--json'])).json()
  t.false('verbatim' in (await call('GET /api/memory/:id', { params: { id: plain.id } })).body)
})

test('prefixes are taken off a text with lines, and its indentation stays', async t => {
  const { call } = await daemonHere(t)
  const saved = (
    await runHere(t, ['remember', '-', '--json'], { stdin: `critical: [ops,ci]:\n${runbook}` })
  ).json()
  t.like(saved, { content: flat, pinned: true, tags: 'ops,ci' })
  t.is((await call('GET /api/memory/:id', { params: { id: saved.id } })).body.verbatim, runbook)
  const indented = '    if (a) {\r\n        b()\r\n    }'
  const code = (await runHere(t, ['remember', '-', '--json'], { stdin: indented })).json()
  t.is((await call('GET /api/memory/:id', { params: { id: code.id } })).body.verbatim, indented)
})

test('agents get code with its lines, indented so that it stays inside its entry, and prose on one line', async t => {
  const { call, remember } = await daemonHere(t)
  await remember(runbook, { type: 'procedural', pinned: true })
  await remember('The invoices go out\non the first of each month.', { pinned: true })
  const message = (await call('POST /api/memory/recall', { body: { query: 'billing job invoices' } })).body
    .message
  t.regex(message, /\n {4}job:\n {6}name: billing\n/u)
  t.true(message.includes('The invoices go out on the first of each month.'))
  const start = await call('POST /api/hooks/session-start', {
    body: { harness: 'claude-code', sessionKey: 's1' },
  })
  const inject = 'inject' in start.body ? start.body.inject : ''
  t.regex(inject, /\n {4}job:\n {6}name: billing\n/u)
  t.true(inject.includes('The invoices go out on the first of each month.'))
})

test('a new version and an export keep the lines', async t => {
  const { call, remember } = await daemonHere(t)
  const id = await remember(runbook)
  const retyped = (await runHere(t, ['edit', id, '--type', 'rule', '--json'])).json()
  t.not(retyped.id, id)
  t.is((await call('GET /api/memory/:id', { params: { id: retyped.id } })).body.verbatim, runbook)
  const { stdout } = await runHere(t, ['export'])
  const lines = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const exported = lines.find(line => line.kind === 'memory' && line.id === retyped.id)
  t.is(exported.content, flat)
  t.is(typeof exported.layout, 'string')
})

test('the save says how much of a long text search does not see', async t => {
  await daemonHere(t)
  const { stdout } = await runHere(t, ['remember', '-'], { stdin: `${'word '.repeat(13_000)}end` })
  t.regex(stdout, /Search sees the first 64,000 characters, not the last 1,003/u)
  const short = await runHere(t, ['remember', '-'], { stdin: 'a short text' })
  t.notRegex(short.stdout, /64,000/u)
})
