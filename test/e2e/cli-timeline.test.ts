import test from 'ava'
import { runCli } from '../helpers/cli.js'

test('memory timeline tells what happened to a memory, and keeps it as JSON', async t => {
  const saved = (await runCli(t, ['remember', 'marked words', '--json'])).json() as { id: string }
  const shown = await runCli(t, ['timeline', saved.id])
  t.regex(shown.stdout, /^\S+Z\tmemory\.created\tcreated\tby /u)
  t.notRegex(shown.stdout, /marked/u)
  const kept = (await runCli(t, ['timeline', saved.id, '--export'])).json() as { meta: object }
  t.like(kept.meta, { version: 1, id: saved.id })
  const missing = await runCli(t, ['timeline', 'nothing'])
  t.not(missing.code, 0)
  t.regex(missing.stderr, /there is no memory, document, source, entity or session/u)
})
