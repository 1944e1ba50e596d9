import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import test from 'ava'
import { followedFiles } from '../../../../src/lib/files/followed-files.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

test('files behind links are found once, and circles end', async t => {
  const root = temporaryFolder(t, 'followed')
  const place = (...names: string[]) => join(root, ...names)
  for (const folder of ['logs/own/deep', 'moved/p1', 'moved/p2'])
    mkdirSync(place(folder), { recursive: true })
  for (const file of ['logs/own/deep/a.jsonl', 'moved/p1/b.jsonl', 'moved/p2/c.jsonl', 'moved/p2/c.txt'])
    writeFileSync(place(file), 'x')
  symlinkSync(place('moved/p1'), place('logs/p1'))
  symlinkSync(place('moved/p1'), place('logs/p1-again'))
  symlinkSync(place('moved/p2/c.jsonl'), place('logs/own/c.jsonl'))
  symlinkSync(place('logs'), place('moved/p1/circle'))
  symlinkSync('.', place('logs/own/self'))
  symlinkSync(place('gone'), place('logs/gone.jsonl'))
  symlinkSync(place('logs/own/deep/a.jsonl'), place('logs/a.jsonl'))
  const found = await followedFiles(place('logs'), name => name.endsWith('.jsonl'))
  t.deepEqual(found.map(path => relative(root, path)).sort(), [
    'logs/own/c.jsonl',
    'logs/own/deep/a.jsonl',
    'logs/p1/b.jsonl',
  ])
  symlinkSync(place('logs'), place('linked'))
  t.is((await followedFiles(place('linked'), name => name.endsWith('.jsonl'))).length, 3)
  await t.throwsAsync(
    followedFiles(place('nothing'), () => true),
    { code: 'ENOENT' },
  )
})
