// runs: in turn

import test, { type ExecutionContext } from 'ava'
import { daemonHere, runHere } from '../helpers/commands-here.js'
import { submitPrompt } from '../helpers/hooks.js'

/** The context of a new session that asks for the port. */
async function toldOfPort(t: ExecutionContext, session: string): Promise<string> {
  const daemon = await daemonHere(t)
  const reply = await submitPrompt(daemon, 'which port does the scheduler use?', { sessionKey: session })
  return reply.body.inject
}

test('a note becomes a fact, a contradiction is reviewed, the next prompt gets the decided value, and an undo the old one', async t => {
  const run = (...args: string[]) => runHere(t, args)
  await run('remember', 'The scheduler runs on port 6230', '--no-project')
  await run('dream', 'run', '--wait')
  const about = await run('about', 'scheduler')
  t.regex(about.stdout, /6230/, about.stderr)
  t.regex(await toldOfPort(t, 'first'), /6230/)
  await run('remember', 'The scheduler runs on port 7421', '--no-project')
  await run('dream', 'run', '--wait')
  const { cards } = (await run('review', '--json')).json()
  t.is(cards.length, 1)
  t.regex(cards[0].current.text, /6230/)
  t.regex(cards[0].suggested.text, /7421/)
  const { waiting } = (await run('status', '--json')).json().health
  t.is(waiting.total, 1)
  t.is((await run('review', cards[0].id, '--replace')).code, 0)
  const decided = await toldOfPort(t, 'second')
  t.regex(decided, /7421/)
  t.notRegex(decided, /6230/)
  t.is((await run('review', '--undo')).code, 0)
  t.regex(await toldOfPort(t, 'third'), /6230/)
  t.is((await run('review', '--json')).json().waiting, 1)
})
