// runs: in turn

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { documentInputs } from '../../src/cli/knowledge/documents/document-inputs.js'
import { putBlock, removeBlock } from '../../src/cli/memory/mirror/agents-block.js'
import { type MirrorCall, mirrorMemories } from '../../src/cli/memory/mirror/mirror-memories.js'
import { type SyncOptions, syncMirror } from '../../src/cli/memory/mirror/sync-mirror.js'
import { connect, synchronise } from '../helpers/connectors.js'
import { startDaemon } from '../helpers/daemon.js'
import { until } from '../helpers/daemon-process.js'
import { pathsOf, putNote, readVault } from '../helpers/sources.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'
import { header, importInto, memoryLine, textOf } from '../helpers/transfer.js'

async function mirrored(t: ExecutionContext) {
  const daemon = await startDaemon(t)
  const folder = join(temporaryFolder(t, 'vault'), 'memory')
  const call: MirrorCall = async (address, request) => {
    const { status, body } = await daemon.call(address, request as never)
    if (status >= 400) throw new Error(JSON.stringify(body))
    return body as never
  }
  const memories = mirrorMemories(call, undefined)
  const sync = (onMissing: SyncOptions['onMissing'] = async () => 'wait', later = 10_000) =>
    syncMirror(folder, memories, { now: () => Date.now() + later, onMissing })
  const files = () =>
    (readdirSync(folder, { recursive: true }) as string[]).filter(name => name.endsWith('.md')).sort()
  const edit = (name: string, change: (text: string) => string) =>
    writeFileSync(join(folder, name), change(readFileSync(join(folder, name), 'utf8')))
  return { ...daemon, folder, sync, files, edit }
}

test('one file a memory; an edit becomes a new version with history, and a second run changes nothing', async t => {
  const { remember, call, sync, files, edit, folder, recall } = await mirrored(t)
  const id = await remember('The relay listens\n\n- on port 9123\n- on IPv6', {
    type: 'fact',
    tags: ['net'],
    project: 'shop',
  })
  await remember('Use pnpm', { type: 'rule' })
  t.is((await sync()).written, 2)
  const [name = '', rule = ''] = files().toReversed()
  t.regex(name, /^shop\/fact\/the-relay-listens-[0-9a-f]{8}\.md$/u)
  t.regex(rule, /^no project\/rule\/use-pnpm-/u)
  t.regex(readFileSync(join(folder, name), 'utf8'), /\n\nThe relay listens\n\n- on port 9123\n- on IPv6\n$/u)
  t.like(await sync(), { written: 0, changed: 0, removed: 0 })
  edit(name, text => text.replace('9123', '9200'))
  t.like(await sync(), { changed: 1, conflicts: [] })
  const [found] = await recall('relay listens')
  const { body } = await call('GET /api/memory/:id', { params: { id: found ?? '' } })
  t.regex(body.verbatim ?? '', /- on port 9200\n/u)
  t.deepEqual([body.tags, body.project], ['net', 'shop'])
  const old = await call('GET /api/memory/:id', { params: { id } })
  t.is(old.body.superseded_by, found ?? '', 'the old text stays in the history')
  t.like(await sync(), { written: 0, changed: 0, removed: 0 })
  edit(name, text =>
    text
      .replace('tags: ["net"]', 'tags:\n  - net\n  - ports')
      .replace('type: fact', 'type: fact\npinned: true'),
  )
  t.like(await sync(), { changed: 1 })
  const after = (await call('GET /api/memory/:id', { params: { id: found ?? '' } })).body
  t.deepEqual([after.tags, after.pinned], ['net,ports', 1])
})

test('changes of memories change files; where both changed, both stay', async t => {
  const { remember, call, sync, files, edit, folder } = await mirrored(t)
  const id = await remember('The build takes four minutes')
  await sync()
  const [name = ''] = files()
  await call('PATCH /api/memory/:id', { params: { id }, body: { tags: ['ci'], reason: 'sorted' } })
  t.like(await sync(), { written: 1, conflicts: [] })
  t.regex(readFileSync(join(folder, name), 'utf8'), /tags: \["ci"\]/u)
  await call('PATCH /api/memory/:id', { params: { id }, body: { tags: ['slow'], reason: 'sorted' } })
  edit(name, text => text.replace('four', 'five'))
  const { conflicts } = await sync()
  t.is(conflicts.length, 1)
  t.regex(readFileSync(join(folder, conflicts[0] ?? ''), 'utf8'), /conflict-of: [\s\S]*five minutes/u)
  t.regex(readFileSync(join(folder, name), 'utf8'), /"slow"[\s\S]*four minutes/u)
  t.like(await sync(), { written: 0, changed: 0, conflicts: [] })
  await call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'old' } })
  t.like(await sync(), { removed: 1 })
  t.false(existsSync(join(folder, name)))
})

test('a deletion asks by count, waits without an answer, and can be taken back', async t => {
  const { remember, call, sync, files, folder } = await mirrored(t)
  for (const text of ['one thing', 'another thing', 'a third thing']) await remember(text)
  await sync()
  const [first = '', second = ''] = files()
  const list = async () => (await call('GET /api/memories', {})).body.matching
  for (const name of [first, second]) rmSync(join(folder, name))
  t.like(await sync(), { missing: 2, forgotten: 0 })
  t.is(await list(), 3)
  t.like(await sync(async count => (count === 2 ? 'restore' : 'wait')), { written: 2 })
  t.is(files().length, 3)
  rmSync(join(folder, first))
  const asked: number[] = []
  const decide: SyncOptions['onMissing'] = async count => {
    asked.push(count)
    return 'forget'
  }
  t.like(await sync(decide), { forgotten: 1 })
  t.deepEqual(asked, [1])
  t.is(await list(), 2)
  t.like(await sync(), { written: 0, missing: 0 })
})

test('half-written, moved, copied and foreign files: nothing is lost', async t => {
  const { remember, call, sync, files, edit, folder } = await mirrored(t)
  const id = await remember('The lift is broken')
  await sync()
  const [name = ''] = files()
  const whole = readFileSync(join(folder, name), 'utf8')
  for (const half of ['', '---\nid: ', whole.slice(0, whole.indexOf('The lift'))]) {
    edit(name, () => half)
    t.like(await sync(), { waiting: 1, missing: 0, changed: 0 })
  }
  edit(name, () => whole.replace('broken', 'mended'))
  utimesSync(join(folder, name), new Date(), new Date())
  t.like(await sync(undefined, 0), { waiting: 1, changed: 0 }, 'an edit of this moment waits')
  t.like(await sync(), { changed: 1 })
  mkdirSync(join(folder, 'house'))
  renameSync(join(folder, name), join(folder, 'house', 'lift.md'))
  t.like(await sync(), { missing: 0, written: 0, changed: 0, others: 0 })
  writeFileSync(join(folder, 'house', 'copy.md'), readFileSync(join(folder, 'house', 'lift.md')))
  writeFileSync(join(folder, 'diary.md'), '# Not a memory\n')
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, '.git', 'x.md'), 'hidden')
  t.like(await sync(), { missing: 0, written: 0, changed: 0, others: 2 })
  edit('house/lift.md', text => text.replace('mended', 'new'))
  t.like(await sync(), { changed: 1 })
  const { body } = await call('GET /api/memories', {})
  t.true(body.memories.some(({ content }) => content === 'The lift is new'))
  t.is(readFileSync(join(folder, 'diary.md'), 'utf8'), '# Not a memory\n')
  t.truthy(id)
})

test('a lost state file writes nothing twice', async t => {
  const { remember, sync, files, edit, folder } = await mirrored(t)
  await remember('alpha fact')
  await remember('beta fact')
  await sync()
  const names = files()
  rmSync(join(folder, '.memory-mirror.json'))
  t.like(await sync(), { written: 0, conflicts: [] })
  t.deepEqual(files(), names)
  rmSync(join(folder, '.memory-mirror.json'))
  edit(names[0] ?? '', text => text.replace('alpha', 'gamma'))
  t.is((await sync()).conflicts.length, 1, 'without the state an edit and a change cannot be told apart')
})

test('the block in AGENTS.md comes and goes byte for byte, and an import of CLAUDE.md leaves it out', async t => {
  const folder = temporaryFolder(t, 'agents')
  const file = join(folder, 'CLAUDE.md')
  for (const before of [undefined, '', '# Shop\n', '# Shop', '# Shop\r\n\r\ntext\r\n', '\n\n']) {
    rmSync(file, { force: true })
    if (before !== undefined) writeFileSync(file, before)
    t.true(putBlock(file, ['- Use pnpm', '- Decided: NATS for events']))
    t.false(putBlock(file, ['- Use pnpm', '- Decided: NATS for events']), 'a second time changes nothing')
    t.true(putBlock(file, ['- Use npm']))
    t.regex(
      readFileSync(file, 'utf8'),
      /begin (?:none|line|file) -->\n## Rules and decisions from memory\n\n- Use npm\n<!--/u,
    )
    t.true(removeBlock(file))
    t.is(existsSync(file) ? readFileSync(file, 'utf8') : undefined, before)
    t.false(removeBlock(file))
  }
  writeFileSync(file, '# Shop\n- Ask before a deployment\n')
  putBlock(file, ['- Decided: NATS for events'])
  const { call } = await startDaemon(t)
  const { body } = await call('POST /api/import/from', { body: { from: 'claude-md', paths: [folder] } })
  t.deepEqual(
    body.first.map(({ content }) => content),
    ['Ask before a deployment'],
  )
  writeFileSync(file, readFileSync(file, 'utf8').replace('<!-- memory-service:end -->', ''))
  t.throws(() => removeBlock(file), { message: /not the second one/u })
})

const onPosix = process.platform === 'win32' ? test.skip : test

onPosix('the block is written through a link, and a file that cannot be changed safely stays as it is', t => {
  const folder = temporaryFolder(t, 'agents')
  const [file, link] = [join(folder, 'AGENTS.md'), join(folder, 'CLAUDE.md')]
  writeFileSync(file, '# Shop\n')
  symlinkSync('AGENTS.md', link)
  t.true(putBlock(link, ['- Use pnpm']))
  t.true(lstatSync(link).isSymbolicLink())
  t.regex(readFileSync(file, 'utf8'), /^# Shop\n<!-- memory-service:begin none -->\n/u)
  t.true(removeBlock(link))
  t.is(readFileSync(file, 'utf8'), '# Shop\n')
  chmodSync(file, 0o444)
  t.throws(() => putBlock(file, ['- Use pnpm']), { message: /is read-only; nothing was written/u })
  const other = join(folder, 'other.md')
  writeFileSync(other, Buffer.from('caf\u00e9\n', 'latin1'))
  t.throws(() => putBlock(other, ['- Use pnpm']), { message: /is not UTF-8 text; nothing was written/u })
  t.deepEqual(readFileSync(other), Buffer.from('caf\u00e9\n', 'latin1'))
  const made = join(folder, 'new', 'AGENTS.md')
  t.true(putBlock(made, ['- Use pnpm']))
  t.is(statSync(made).mode & 0o777, 0o644)
})

test('a thousand files: a run without changes writes nothing, and an edit of one changes one', async t => {
  const { call, sync, files, edit, folder, url } = await mirrored(t)
  const lines = Array.from({ length: 1000 }, (_, number) =>
    memoryLine(`m-${number}`, { content: `note number ${number} of the harbour`, tags: ['bulk'] }),
  )
  await importInto({ url } as never, textOf([header, ...lines]))
  t.is((await call('GET /api/memories', { query: { limit: '1' } })).body.matching, 1000)
  t.is((await sync()).written, 1000)
  t.is(files().length, 1000)
  const began = Date.now()
  t.like(await sync(), { written: 0, changed: 0, missing: 0, waiting: 0 })
  t.log(`a run without changes took ${Date.now() - began} ms`)
  edit(files()[432] ?? '', text => text.replace('harbour', 'port'))
  t.like(await sync(), { changed: 1, written: 0, missing: 0 })
  t.true(existsSync(join(folder, '.memory-mirror.json')))
})

test('files of a mirror in a vault or a followed folder are not read again as passages', async t => {
  const daemon = await mirrored(t)
  const { folder, sync, call, recall } = daemon
  const vault = dirname(folder)
  mkdirSync(join(vault, '.obsidian'), { recursive: true })
  putNote(vault, 'pelican.md', 'The pelican nests at the quay.')
  const id = await daemon.remember('The walrus sleeps in the harbour.')
  await sync()
  putNote(folder, 'own.md', 'The osprey fishes at noon.')
  const source = await readVault(daemon, vault)
  t.deepEqual(await pathsOf(daemon, source.id), ['memory/own.md', 'pelican.md'])
  const connector = await connect(daemon, vault, { patterns: ['**/*.md', '**/*.json'] })
  t.is((await synchronise(daemon, connector)).details?.documents.total, 2)
  t.deepEqual(await recall('walrus'), [id])
  // While the vault is followed.
  await daemon.remember('The puffin nests on the cliff.')
  await sync()
  putNote(vault, 'late.md', 'The heron waits.')
  await until(async () => (await pathsOf(daemon, source.id)).includes('late.md'))
  await until(async () => !(await pathsOf(daemon, source.id)).some(path => path.includes('puffin')))
  await call('POST /api/memory/forget', { body: { ids: [id], mode: 'execute', reason: 'gone' } as never })
  t.deepEqual(await recall('walrus'), [])
  const inputs = await documentInputs([vault])
  t.deepEqual(
    inputs.map(input => input.kind === 'file' && relative(vault, input.path)),
    ['late.md', 'memory/own.md', 'pelican.md'],
  )
})
