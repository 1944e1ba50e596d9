import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import test from 'ava'
import { runCli, startCli } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'

test('messages are sent, read and acknowledged from the terminal', async t => {
  const run = (...args: string[]) => runHere(t, args)
  const unaddressed = await run('messages', 'send', 'nobody', 'named')
  t.is(unaddressed.code, 2)
  t.regex(
    unaddressed.stderr,
    /no recipient: give --to AGENT, --session KEY or --all\nnext: memory messages send/,
  )
  const sent = await run('messages', 'send', 'the', 'schema', 'is', 'merged', '--to', 'ben', '--agent', 'ada')
  t.is(sent.code, 0, sent.stderr)
  t.regex(sent.stdout, /^✓ sent to ben; it waits until it is read \([0-9a-f-]{36}\)$/)
  t.is(sent.stderr, 'No agent is named "ben" yet (memory agents list); the message waits for it.')
  const piped = await runHere(t, ['messages', 'send', '-', '--all', '--json'], { stdin: 'two\nlines' })
  t.like(piped.json(), { broadcast: true, content: 'two\nlines' })

  const { items } = (await run('messages', 'inbox', '--agent', 'ben', '--json')).json()
  const ids = items.map(({ id }: { id: string }) => id)
  const { stdout } = await run('messages', 'inbox', '--agent', 'ben')
  t.regex(
    stdout,
    new RegExp(`^${ids[0]}\\t.*\\tdefault\\tall\\tinfo\\tunread\\tdelivered\\ttwo lines\\n${ids[1]}\\t`),
  )
  t.is((await run('messages', 'ack', ...ids, '--agent', 'ben')).code, 0)
  const read = await run('messages', 'inbox', '--agent', 'ben', '--unread')
  t.deepEqual([read.stdout, read.stderr], ['', 'No messages.'])
  t.is((await run('messages', 'ack', 'nothing')).code, 3)
  t.is((await run('messages', 'retry', ids[0], '--agent', 'default')).code, 4)
  t.regex((await run('agents', 'presence')).stderr, /No live sessions/)
  const { findings } = (await run('doctor', '--json')).json()
  t.like(
    findings.find(({ id }: { id: string }) => id === 'messages'),
    {
      severity: 'ok',
      evidence: '2 of 10000 messages stored',
    },
  )
  t.is((await run('messages', 'send', 'hello', '--to', 'default', '--agent', 'ada')).stderr, '')
})

test('messages watch shows new messages once, and ends with Ctrl-C', async t => {
  await runHere(t, ['messages', 'send', 'before', '--to', 'ben', '--agent', 'ada'])
  const watch = startCli(t, ['messages', 'watch', '--agent', 'ben', '--ack', '--json'])
  const lines = createInterface({ input: watch.stdout as Readable })
  const next = async () => JSON.parse((await once(lines, 'line'))[0]).content
  t.is(await next(), 'before')
  const coming = next()
  await runHere(t, ['messages', 'send', 'after', '--to', 'ben', '--agent', 'ada'])
  t.is(await coming, 'after')
  watch.kill('SIGINT')
  t.is((await watch).exitCode, 0)
  const { stderr } = await runHere(t, ['messages', 'inbox', '--agent', 'ben', '--unread'])
  t.is(stderr, 'No messages.')
})

test('messages watch ends when its reader is gone, and marks only shown messages as read', async t => {
  await runHere(t, ['messages', 'send', 'seen', '--to', 'ben', '--agent', 'ada'])
  const watch = startCli(t, ['messages', 'watch', '--agent', 'ben', '--ack', '--json'])
  await once(createInterface({ input: watch.stdout as Readable }), 'line')
  watch.stdout?.destroy()
  await runHere(t, ['messages', 'send', 'unseen', '--to', 'ben', '--agent', 'ada'])
  t.is((await watch).exitCode, 0)
  const { json } = await runHere(t, ['messages', 'inbox', '--agent', 'ben', '--unread', '--json'])
  t.deepEqual(
    json().items.map(({ content }: { content: string }) => content),
    ['unseen'],
  )
})

test('messages watch does not restart a stopped daemon', async t => {
  await runCli(t, ['messages', 'send', 'before', '--to', 'ben', '--agent', 'ada'])
  const watch = startCli(t, ['messages', 'watch', '--agent', 'ben', '--json'])
  await once(createInterface({ input: watch.stdout as Readable }), 'line')
  t.is((await runCli(t, ['daemon', 'stop'])).code, 0)
  const ended = await watch
  t.not(ended.exitCode, 0)
  t.regex(ended.stdout + ended.stderr, /daemon/)
  t.not((await runCli(t, ['daemon', 'status'])).code, 0)
})
