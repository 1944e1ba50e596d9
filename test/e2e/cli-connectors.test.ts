import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { runHere } from '../helpers/commands-here.js'
import { notesFolder } from '../helpers/connectors.js'

test('a folder is added, synchronised, shown and removed with its documents', async t => {
  const { root } = notesFolder(t, {
    'a.md': 'the harbour crane',
    'drafts/b.md': 'x',
    'large.md': 'y'.repeat(99),
  })
  const added = await runHere(t, [
    ...['connectors', 'add', root, '--name', 'Notes', '--ignore', 'drafts', '--max-file-size', '50'],
  ])
  t.is(added.code, 0)
  const id = added.stdout.trim()
  const synced = await runHere(t, ['connectors', 'sync', id, '--wait'])
  t.is(synced.code, 0)
  t.regex(synced.stdout, /2 files: 1 added, 0 updated, 0 removed/u)
  t.regex(synced.stdout, /1 failed\nFILE +REASON\nlarge\.md +it has 99 bytes/u)
  const list = await runHere(t, ['connectors', 'list'])
  t.regex(list.stdout, new RegExp(`^${id}\\tidle\\t\\S+\\tNotes\\t${root}\\t$`, 'mu'))
  const shown = await runHere(t, ['connectors', 'show', id])
  t.regex(shown.stdout, /^documents +1 document \(1 read\), 1 passage$/mu)
  const health = await runHere(t, ['connectors', 'health', id, '--json'])
  t.like(health.json(), { status: 'idle', documentCount: 1 })
  t.is((await runHere(t, ['connectors', 'remove', id, '--cascade'])).code, 2)
  const removed = await runHere(t, ['connectors', 'remove', id, '--cascade', '--yes', '--json'])
  t.deepEqual(removed.json(), { deleted: true, documentsRemoved: 1, memoriesRemoved: 1 })
  t.is((await runHere(t, ['connectors', 'show', id])).code, 3)
})

test('a missing folder is reported by sync, health and doctor; --full asks first', async t => {
  const { root } = notesFolder(t, { 'notes/a.md': 'the harbour crane' })
  const { id } = (await runHere(t, ['connectors', 'add', join(root, 'notes'), '--json'])).json()
  t.is((await runHere(t, ['connectors', 'sync', id, '--full'])).code, 2)
  t.is((await runHere(t, ['connectors', 'sync', id, '--full', '--yes', '--wait'])).code, 0)
  rmSync(join(root, 'notes'), { recursive: true })
  const synced = await runHere(t, ['connectors', 'sync', id, '--wait', '--json'])
  t.is(synced.code, 1)
  t.like(synced.json(), { status: 'error' })
  t.is((await runHere(t, ['connectors', 'health', id])).code, 1)
  const { findings } = (await runHere(t, ['doctor', '--json'])).json()
  const finding = findings.find((one: { id: string }) => one.id === 'connectors')
  const fix = `memory connectors sync ${id} --wait, or memory connectors remove ${id} if it won't return`
  t.like(finding, { severity: 'warning', fix })
  t.regex(finding.evidence, /1 of 1 connector failed to sync, notes: .*it does not exist/u)
})

test('a folder has one connector: a second one is refused and the first is named', async t => {
  const { root } = notesFolder(t, { 'notes/a.md': 'the harbour crane' })
  const folder = join(root, 'notes')
  const { id } = (await runHere(t, ['connectors', 'add', folder, '--json'])).json()
  symlinkSync(folder, join(root, 'link'))
  for (const again of [
    ['connectors', 'add', `${folder}/`],
    ['connectors', 'add', join(root, 'link'), '--pattern', '*.txt'],
    ['sources', 'add', 'folder', folder],
  ]) {
    const refused = await runHere(t, again)
    t.is(refused.code, 4)
    t.true(refused.stderr.includes(`is connector ${id} already (notes)\nnext: memory connectors sync ${id}`))
  }
  t.is((await runHere(t, ['connectors', 'list', '-q'])).stdout.trim(), id)
  t.is((await runHere(t, ['connectors', 'add', root])).code, 0, 'the folder above is another one')
})

test('sources lists, shows, syncs and removes folders like any source', async t => {
  const { root } = notesFolder(t, { 'notes/a.md': 'the harbour crane' })
  for (const [path, why] of [
    ['nowhere', /nowhere: the folder does not exist/u],
    ['notes/a.md', /a\.md: it is a file, not a folder/u],
  ] as const) {
    const refused = await runHere(t, ['sources', 'add', 'folder', join(root, path)])
    t.is(refused.code, 2)
    t.regex(refused.stderr, why)
  }
  t.deepEqual((await runHere(t, ['sources', 'list', '--json'])).json().items, [])
  const added = await runHere(t, ['sources', 'add', 'folder', join(root, 'notes'), '--name', 'Handbook'])
  t.is(added.code, 0, added.stderr)
  t.regex(added.stdout, /1 file: 1 added/u)
  const list = await runHere(t, ['sources', 'list'])
  t.regex(list.stdout, /^\S+\tfolder\tidle\thealthy\t\t\S+\tHandbook\t/mu)
  t.like((await runHere(t, ['sources', 'list', '--json'])).json(), {
    total: 1,
    sources: [],
    items: [{ kind: 'folder', name: 'Handbook' }],
  })
  t.regex((await runHere(t, ['sources', 'show', 'Handbook'])).stdout, /^documents +1 document/mu)
  t.is((await runHere(t, ['sources', 'sync', 'Handbook', '--wait'])).code, 0)
  t.is((await runHere(t, ['sources', 'remove', 'Handbook'])).code, 2)
  t.like((await runHere(t, ['sources', 'remove', 'Handbook', '--yes', '--json'])).json(), {
    deleted: true,
    documentsRemoved: 1,
  })
})
