import { rmSync } from 'node:fs'
import test from 'ava'
import { runHere } from '../helpers/commands-here.js'
import { vaultOf } from '../helpers/sources.js'

test('a vault is added, listed, shown, paused, synchronised and removed', async t => {
  const root = vaultOf(t, { 'a.md': 'The crane lifts.', 'broken.canvas': '{' })
  const added = await runHere(t, [
    'sources',
    'add',
    'obsidian',
    root,
    '--name',
    'Harbour',
    '--wait',
    '--json',
  ])
  t.is(added.code, 0)
  const { id } = added.json()
  t.regex(
    (await runHere(t, ['sources', 'list'])).stdout,
    new RegExp(`^${id}\\tnotevault\\tcomplete\\tdegraded\\t1\\t`, 'mu'),
  )
  const shown = await runHere(t, ['sources', 'show', id])
  t.regex(shown.stdout, /^kind +Obsidian$/mu)
  t.regex(shown.stdout, /1 failed\nPATH +REASON\nbroken\.canvas +it is not a valid canvas/u)
  t.regex((await runHere(t, ['sources', 'pause', 'Harbour'])).stdout, /^paused \(requested\)/u)
  t.regex(
    (await runHere(t, ['sources', 'show', 'Harbour'])).stdout,
    new RegExp(`Paused\\. To continue: memory sources resume ${id}`, 'u'),
  )
  t.regex((await runHere(t, ['sources', 'resume', id])).stdout, /^(?:queued|running|complete)/u)
  t.is((await runHere(t, ['sources', 'watch'])).code, 0)
  t.regex(
    (await runHere(t, ['sources', 'add', 'discord'])).stderr,
    /no server given: name one or more server IDs/u,
  )
  t.is((await runHere(t, ['sources', 'remove', id])).code, 2)
  t.like((await runHere(t, ['sources', 'remove', id, '--yes', '--json'])).json(), { purged: 1 })
  t.is((await runHere(t, ['sources', 'show', id])).code, 3)
})

test('a missing vault is reported by sync and doctor', async t => {
  const root = vaultOf(t, { 'a.md': 'The crane lifts.' })
  const { id } = (await runHere(t, ['sources', 'add', 'obsidian', root, '--wait', '--json'])).json()
  rmSync(root, { recursive: true })
  t.is((await runHere(t, ['sources', 'sync', id, '--wait'])).code, 1)
  const { findings } = (await runHere(t, ['doctor', '--json'])).json()
  const finding = findings.find((one: { id: string }) => one.id === 'sources')
  const fix = `memory sources sync ${id} --wait, or memory sources remove ${id} if it won't return`
  t.like(finding, { severity: 'warning', fix })
  t.regex(finding.evidence, /does not exist/u)
})
