import test from 'ava'
import { sessionHead } from '../../../../../src/daemon/sessions/capture/show-capture.js'

const user = (text: string) => ({ role: 'user', text })
const assistant = (text: string) => ({ role: 'assistant', text })

test('a summary quotes the first request and the last two answers, each once', async t => {
  const said = [user('why does it stall?'), assistant('first'), assistant('second'), assistant('third')]
  t.is(await sessionHead(said, said), 'Asked: why does it stall?\n\nAnswered: second\n\nAnswered: third')
  const again = [...said, assistant('third'), assistant('third')]
  t.is(await sessionHead(again, again), 'Asked: why does it stall?\n\nAnswered: second\n\nAnswered: third')
})
