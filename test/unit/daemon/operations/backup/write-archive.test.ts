import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { readArchive } from '../../../../../src/daemon/operations/backup/archive/read-archive.js'
import { writeArchive } from '../../../../../src/daemon/operations/backup/archive/write-archive.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'

const header = {
  format: 'memory-service-backup',
  version: 1,
  id: 'backup-20260101-000000-aaaaaa',
  kind: 'manual',
  createdAt: '2026-01-01T00:00:00.000Z',
  program: '1.0.0',
  schema: 1,
} as const

test('files removed, added or grown during packing are archived as they are then (operations.md 4.1)', async t => {
  const folder = temporaryFolder(t, 'write-archive')
  mkdirSync(join(folder, 'memory'))
  const place = (path: string) => join(folder, path)
  const write = (path: string, text: string) => writeFileSync(place(path), text)
  const long = 'x'.repeat(2 * 1024 * 1024)
  const before = { 'memory/a.md': long, 'gone.md': 'gone', 'shorter.md': 'a long text', 'longer.md': 'short' }
  for (const [path, text] of Object.entries({ ...before, 'log.jsonl': 'line 1\n' })) write(path, text)
  let changed = false
  const file = place('backup.tar.gz')
  await writeArchive({
    file,
    header,
    files: [...Object.keys(before), 'log.jsonl'].map(path => ({ path, from: place(path) })),
    tables: {},
    recipients: [],
    onProgress: () => {
      if (changed) return
      changed = true
      rmSync(place('gone.md'))
      for (const [path, text] of [
        ['shorter.md', 'a text'],
        ['longer.md', 'a text that is longer'],
      ] as const) {
        write('new', text)
        renameSync(place('new'), place(path))
      }
      write('log.jsonl', `line 1\n${long}`)
    },
  })
  const found: Record<string, string> = {}
  const { manifest } = await readArchive({
    file,
    identities: [],
    onFile: async ({ path, content }) => {
      const pieces: Buffer[] = []
      for await (const piece of content) pieces.push(piece)
      found[path] = Buffer.concat(pieces).toString()
    },
    onProgress: () => undefined,
  })
  t.deepEqual(found, {
    'memory/a.md': readFileSync(place('memory/a.md'), 'utf8'),
    'shorter.md': 'a text',
    'longer.md': 'a text that is longer',
    // A file that grows a lot at its end is archived with its first length.
    'log.jsonl': 'line 1\n',
  })
  t.is(manifest.entries.length, 4)
})
