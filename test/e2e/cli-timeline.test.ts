import test from 'ava'
import { runHere } from '../helpers/commands-here.js'

test('memory timeline shows the events of a memory, also as JSON', async t => {
  const saved = (await runHere(t, ['remember', 'marked words', '--json'])).json() as { id: string }
  const shown = await runHere(t, ['timeline', saved.id])
  t.regex(shown.stdout, /^\S+Z\tmemory\.created\tcreated\tby /u)
  t.notRegex(shown.stdout, /marked/u)
  const kept = (await runHere(t, ['timeline', saved.id, '--export'])).json() as { meta: object }
  t.like(kept.meta, { version: 1, id: saved.id })
  const missing = await runHere(t, ['timeline', 'nothing'])
  t.not(missing.code, 0)
  t.regex(missing.stderr, /no memory, document, source, entity or session .* found/u)
})
