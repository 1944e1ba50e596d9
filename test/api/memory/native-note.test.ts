import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'

const note = ({ call }: TestDaemon, body: object) =>
  call('POST /api/memory/harnessb-native-note', { body: body as never })

const notesIn = ({ paths }: TestDaemon): string[] => {
  const folder = join(paths.memoryDir, 'codex', 'notes')
  return existsSync(folder) ? readdirSync(folder) : []
}

test('a native note is a file below memory/ and a memory that names it (rules.md 4.3; rules.md#process-and-files)', async t => {
  const daemon = await startDaemon(t)
  const content = 'Run the linter first.\n\nThen the tests.'
  const { status, body } = await note(daemon, { content, title: 'Before a commit', tags: 'git, habit' })
  t.is(status, 200)
  t.deepEqual(Object.keys(body).sort(), ['ok', 'path'])
  t.true(body.ok)
  t.false(relative(daemon.paths.memoryDir, body.path).startsWith('..'))
  t.is(readFileSync(body.path, 'utf8'), `# Before a commit\n\n${content}\n`)
  const [id] = await daemon.recall('linter tests')
  const record = await daemon.call('GET /api/memory/:id', { params: { id: id! } })
  t.like(record.body, {
    content: 'Run the linter first. Then the tests.',
    tags: 'git,habit',
    who: 'codex',
    source_type: 'native-note',
    source_path: relative(daemon.paths.root, body.path).split('\\').join('/'),
  })
  t.deepEqual(await daemon.recall('before a commit'), [id!])
})

test('a native note drops private spans, also from its file, and is refused if it is entirely private (rules.md 1.1.1)', async t => {
  const daemon = await startDaemon(t)
  const { body } = await note(daemon, {
    content: 'the pin <private>SECRET</private> is known',
    title: 'where <private>SECRET</private> it is',
  })
  t.notRegex(body.path + readFileSync(body.path, 'utf8'), /secret/iu)
  t.is((await note(daemon, { content: '<private>SECRET</private>' })).status, 400)
  t.is(notesIn(daemon).length, 1)
  const untitled = await note(daemon, { content: 'the key hangs there', title: '<private>SECRET</private>' })
  t.is(readFileSync(untitled.body.path, 'utf8'), 'the key hangs there\n')
})

test('a native note is readable only by its owner (rules.md#process-and-files)', async t => {
  if (process.platform === 'win32') return t.pass('Windows has no file modes')
  const { body } = await note(await startDaemon(t), { content: 'for my eyes only' })
  t.is(statSync(body.path).mode & 0o777, 0o600)
})

for (const title of [
  '../../escape',
  '/etc/passwd',
  'C:\\Windows\\x',
  '..',
  'con',
  'a\u202eb',
  '💣',
  'x'.repeat(200),
])
  test(`the title ${JSON.stringify(title.slice(0, 20))} becomes a file name inside the notes folder (rules.md 4.3)`, async t => {
    const daemon = await startDaemon(t)
    const { status, body } = await note(daemon, { content: 'some text', title })
    t.is(status, 200)
    t.regex(
      relative(join(daemon.paths.memoryDir, 'codex', 'notes'), body.path),
      /^[a-z0-9][a-z0-9-]{0,80}\.md$/,
    )
    t.true(existsSync(body.path))
  })

test('saving the same note twice creates one file and one memory (rules.md 1.1.4)', async t => {
  const daemon = await startDaemon(t)
  const first = await note(daemon, { content: 'say it once', title: 'Once' })
  const again = await note(daemon, { content: 'say it once', title: 'Once' })
  const renamed = await note(daemon, { content: 'Say it once!', title: 'Another title' })
  t.is(again.body.path, first.body.path)
  t.is(renamed.body.path, first.body.path)
  t.is(notesIn(daemon).length, 1)
  t.is((await daemon.call('GET /api/memories')).body.stats.total, 1)
})

test('a note has at most 8000 characters (rules.md 8)', async t => {
  const daemon = await startDaemon(t)
  t.is((await note(daemon, { content: 'x'.repeat(8000) })).status, 200)
  for (const body of [{ content: 'x'.repeat(8001) }, { content: ' ' }, {}, { content: 7 }]) {
    const reply = await note(daemon, body)
    t.is(reply.status, 400)
    t.is(reply.body.code, 'validation_failed')
  }
  t.is(notesIn(daemon).length, 1)
})

test('a note whose memory is refused leaves no file (rules.md 4.3)', async t => {
  const daemon = await startDaemon(t)
  const { status } = await note(daemon, { content: 'critical: ' })
  t.is(status, 400)
  t.deepEqual(notesIn(daemon), [])
})

test('a note whose file cannot be written leaves no memory (rules.md 4.3)', async t => {
  const daemon = await startDaemon(t)
  mkdirSync(join(daemon.paths.memoryDir, 'codex'))
  writeFileSync(join(daemon.paths.memoryDir, 'codex', 'notes'), 'a file where the folder belongs')
  const { status, body } = await note(daemon, { content: 'nowhere to go' })
  t.is(status, 500)
  t.is(body.code, 'internal')
  t.false(JSON.stringify(body).includes(daemon.paths.root))
  t.is((await daemon.call('GET /api/memories')).body.stats.total, 0)
})

test('a note never leaves a half-written file (rules.md 4.3)', async t => {
  const daemon = await startDaemon(t)
  await Promise.all(Array.from({ length: 10 }, () => note(daemon, { content: 'all at once', title: 'Race' })))
  t.deepEqual(
    notesIn(daemon).filter(name => !name.endsWith('.md')),
    [],
  )
  t.is(notesIn(daemon).length, 1)
})

test('a note that duplicates a memory never changes that memory’s file (rules.md 4.3)', async t => {
  const daemon = await startDaemon(t)
  const first = await note(daemon, { content: 'Say it once', title: 'Once' })
  const again = await note(daemon, { content: 'say IT\n once!', title: 'Once' })
  t.is(again.body.path, first.body.path)
  t.is(readFileSync(first.body.path, 'utf8'), '# Once\n\nSay it once\n')
  t.is(notesIn(daemon).length, 1)
})

test('a note that its owner edited is not overwritten (rules.md 4.3)', async t => {
  const daemon = await startDaemon(t)
  const first = await note(daemon, { content: 'say it once', title: 'Once' })
  writeFileSync(first.body.path, 'edited by hand')
  t.is((await note(daemon, { content: 'say it once', title: 'Once' })).body.path, first.body.path)
  t.is(readFileSync(first.body.path, 'utf8'), 'edited by hand')
})

test('parallel notes with the same content leave only the file that their memory names (rules.md 4.3)', async t => {
  const daemon = await startDaemon(t)
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      note(daemon, { content: n % 2 ? 'All at once' : 'all at once!', title: `Race ${n % 3}` }),
    ),
  )
  t.is(new Set(replies.map(({ body }) => body.path)).size, 1)
  t.true(existsSync(replies[0]!.body.path))
  t.is(notesIn(daemon).length, 1)
})
