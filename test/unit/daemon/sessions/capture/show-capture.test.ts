import test from 'ava'
import { sessionHead } from '../../../../../src/daemon/sessions/capture/show-capture.js'
import { cpuMsUntil } from '../../../../helpers/cpu-time.js'

const user = (text: string) => ({ role: 'user', text })
const assistant = (text: string) => ({ role: 'assistant', text })

test('a summary quotes the first request and the last two answers, each once', async t => {
  const said = [user('why does it stall?'), assistant('first'), assistant('second'), assistant('third')]
  t.is(await sessionHead(said, said), 'Asked: why does it stall?\n\nAnswered: second\n\nAnswered: third')
  const again = [...said, assistant('third'), assistant('third')]
  t.is(await sessionHead(again, again), 'Asked: why does it stall?\n\nAnswered: second\n\nAnswered: third')
})

test('of a message of megabytes only the beginning is read', async t => {
  const long = 'harbour crane '.repeat(1_000_000)
  // Loads and compiles the rules of the scan.
  await sessionHead([user('why?')], [])
  let head = ''
  const ms = await cpuMsUntil(async () => {
    head = await sessionHead([user(long)], [assistant(long)])
  })
  t.is(head.length, 'Asked: '.length + 600 + 2 + 'Answered: '.length + 700)
  t.true(ms < 200, `${ms} ms`)
})
