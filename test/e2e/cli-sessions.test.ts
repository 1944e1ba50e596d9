import test from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { readRegistration } from '../../src/lib/workspace/registration.js'
import { cliWorkspace } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'

test('sessions are listed, shown and bypassed', async t => {
  const none = await runHere(t, ['sessions', 'list'])
  t.is(none.code, 0, none.stderr)
  t.regex(none.stderr, /No sessions/)
  const { port } = readRegistration(workspacePaths(cliWorkspace(t)).registration)!
  const started = await fetch(`http://127.0.0.1:${port}/api/hooks/session-start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ harness: 'codex', sessionKey: 'a/b c', runtimePath: 'plugin', project: '/shop' }),
  })
  t.is(started.status, 200)
  const listed = await runHere(t, ['sessions', 'list'])
  t.regex(listed.stdout, /^a\/b c\tdefault\tcodex\tplugin\t-\t\S+\t\/shop\tlive\t0\t0\t-\t-$/m)
  const silenced = await runHere(t, ['sessions', 'bypass', 'a/b c'])
  t.is(silenced.stdout, 'Silenced the hooks of a/b c')
  const shown = await runHere(t, ['sessions', 'show', 'session:a/b c'])
  t.regex(shown.stdout, /^bypassed\s+yes$/m)
  t.is((await runHere(t, ['sessions', 'bypass', 'a/b c', '--off', '--json'])).json().bypassed, false)
  t.is((await runHere(t, ['sessions', 'show', 'a/b c', '--json'])).json().bypassed, false)
  const unknown = await runHere(t, ['sessions', 'show', 'nobody'])
  t.not(unknown.code, 0)
  t.regex(unknown.stderr, /live session "nobody" not found/)
})
