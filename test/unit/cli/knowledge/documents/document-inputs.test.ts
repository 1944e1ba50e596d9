import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { documentInputs } from '../../../../../src/cli/knowledge/documents/document-inputs.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'

function folderOf(t: ExecutionContext, files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t, 'inputs')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

async function importedPaths(root: string, ...below: string[]): Promise<string[]> {
  const inputs = await documentInputs([join(root, ...below)])
  return inputs.map(input => (input.kind === 'file' ? relative(root, input.path) : input.kind))
}

const repository = {
  '.git/HEAD': 'ref: refs/heads/main',
  '.gitignore': 'build/\n*.log.md\n/top.md\n',
  'top.md': 'x',
  'a.md': 'x',
  'a.log.md': 'x',
  'build/out.md': 'x',
  'docs/top.md': 'x',
  'docs/.gitignore': 'draft.md\n!kept.log.md\n',
  'docs/draft.md': 'x',
  'docs/kept.log.md': 'x',
  'docs/deep/draft.md': 'x',
  'docs/deep/other.log.md': 'x',
}

test('a folder import skips files in .gitignore, and the innermost .gitignore decides', async t => {
  const root = folderOf(t, repository)
  t.deepEqual(await importedPaths(root), ['a.md', 'docs/kept.log.md', 'docs/top.md'])
})

test('a subfolder of a repository obeys the .gitignore files above it', async t => {
  const root = folderOf(t, repository)
  t.deepEqual(await importedPaths(root, 'docs'), ['docs/kept.log.md', 'docs/top.md'])
})

test('a path named explicitly is imported even if ignored', async t => {
  const root = folderOf(t, repository)
  t.deepEqual(await importedPaths(root, 'a.log.md'), ['a.log.md'])
  t.deepEqual(await importedPaths(root, 'build'), ['build/out.md'])
  t.deepEqual(await importedPaths(root, 'build', '*.md'), ['build/out.md'])
})

test('a missing path and a pattern without a match are reported', async t => {
  const root = folderOf(t, repository)
  await t.throwsAsync(importedPaths(root, 'nofile.md'), {
    message: /^no such file or folder: .*nofile\.md$/u,
  })
  await t.throwsAsync(importedPaths(root, 'zz*.md'), { message: /^no file matches .*zz\*\.md$/u })
})

test('outside a repository, only .gitignore files in and below the named folder count', async t => {
  const root = folderOf(t, {
    '.gitignore': '*.md\n',
    'in/.gitignore': 'b.md\n',
    'in/a.md': 'x',
    'in/b.md': 'x',
  })
  t.deepEqual(await importedPaths(root, 'in'), ['in/a.md'])
})
