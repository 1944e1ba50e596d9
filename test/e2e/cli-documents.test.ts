import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { runCli, startCli, until } from '../helpers/cli.js'
import { daemonHere, runHere } from '../helpers/commands-here.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

function notes(t: ExecutionContext): string {
  const folder = temporaryFolder(t, 'notes')
  writeFileSync(join(folder, 'crane.md'), '# Cranes\n\nThe harbour crane lifts forty containers.')
  return folder
}

test('a folder is read recursively, without hidden folders, node_modules and links', async t => {
  const folder = notes(t)
  for (const [path, name] of [
    ['.git', 'x.md'],
    ['node_modules', 'x.md'],
    ['deep', 'b.txt'],
    ['deep', 'picture.png'],
  ] as const) {
    mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, path, name), 'words')
  }
  symlinkSync('/etc/hosts', join(folder, 'link.md'))
  const { code, json } = await runHere(t, ['documents', 'add', folder, '--json'])
  t.is(code, 0)
  const names = json().documents.map(({ name }: { name: string }) => name.slice(folder.length + 1))
  t.deepEqual(names.sort(), ['crane.md', 'deep/b.txt'])
  const recall = await runHere(t, ['recall', 'harbour crane', '--json'])
  t.like(recall.json().results[0].document, { title: 'Cranes', heading: null })
})

test('unreadable files are listed in a table at the end, and the exit code is 1', async t => {
  const folder = notes(t)
  const broken = join(folder, 'broken.md')
  writeFileSync(broken, Buffer.from([0xff, 0x00, 0x80]))
  const { code, stdout } = await runHere(t, ['documents', 'add', folder])
  t.is(code, 1)
  t.regex(stdout, /Added {2}1 document, 1 passage/u)
  t.regex(stdout, /1 failed\nDOCUMENT +REASON\n\S*broken\.md +\S/u)
  const failed = await runHere(t, ['documents', 'list', '--status', 'failed', '--json'])
  t.is(failed.json().total, 1)
})

test('an empty file is not an error: the others are read, and doctor reports nothing', async t => {
  const folder = notes(t)
  writeFileSync(join(folder, 'later.md'), '')
  const { code, stdout } = await runHere(t, ['documents', 'add', folder])
  t.is(code, 0)
  t.regex(stdout, /Added {2}2 documents, 1 passage; 1 without text/u)
  const { findings } = (await runHere(t, ['doctor', '--json'])).json()
  t.deepEqual(
    findings.filter(({ evidence }: { evidence: string }) => /later\.md|document.*failed/u.test(evidence)),
    [],
  )
})

test('a piped text gets its title; list, show and chunks show it', async t => {
  const added = await runHere(t, ['documents', 'add', '-', '--title', 'Commits', '--json'], {
    stdin: '# Monday\n\nThe crane was painted.',
  })
  const { id } = added.json().documents[0]
  const list = await runHere(t, ['documents', 'list'])
  t.regex(list.stdout, new RegExp(`^${id}\\t\\S+\\tdone\\t1\\tCommits\\t$`, 'mu'))
  t.regex((await runHere(t, ['documents', 'show', id])).stdout, /^status +done$/mu)
  const chunks = await runHere(t, ['documents', 'chunks', id])
  t.regex(chunks.stdout, /Monday/u)
  t.regex(chunks.stdout, /The crane was painted\./u)
  t.is((await runHere(t, ['documents', 'show', 'nobody'])).code, 3)
})

test('a removal without a terminal needs --yes; a dry run changes nothing', async t => {
  const added = await runHere(t, ['documents', 'add', join(notes(t), 'crane.md'), '--json'])
  const { id } = added.json().documents[0]
  t.is((await runHere(t, ['documents', 'remove', id])).code, 2)
  const dry = await runHere(t, ['documents', 'remove', id, '--dry-run'])
  t.is(dry.code, 0)
  t.regex(dry.stdout, /Cranes/u)
  const removed = await runHere(t, ['documents', 'remove', id, '--yes', '--json'])
  t.deepEqual(removed.json(), { removed: [{ id, memoriesRemoved: 1 }], dryRun: false })
})

test('--watch reads a file again when it changes, until Ctrl-C', async t => {
  const folder = notes(t)
  await daemonHere(t)
  const running = startCli(t, ['documents', 'add', folder, '--watch'])
  const output = { text: '', notes: '' }
  running.stdout?.on('data', chunk => {
    output.text += chunk
  })
  running.stderr?.on('data', chunk => {
    output.notes += chunk
  })
  await until(() => output.notes.includes('Watching'), 'the watcher runs')
  // The watcher may not be running yet, so the file is written repeatedly until a change is reported.
  let written = 0
  await until(() => {
    if (written++ % 50 === 0)
      writeFileSync(join(folder, 'new.md'), `The lighthouse is ${written} metres high.`)
    return /^done {2}\S+new\.md: 1 passage$/mu.test(output.text)
  }, 'the new file is read')
  running.kill('SIGINT')
  t.is((await running).exitCode, 0)
})

test('a missing path, and a title for several documents, are refused before anything is sent', async t => {
  const folder = notes(t)
  writeFileSync(join(folder, 'b.md'), 'words')
  t.is((await runCli(t, ['documents', 'add', join(folder, 'nothing.md')])).code, 2)
  t.is((await runCli(t, ['documents', 'add', folder, '--title', 'x'])).code, 2)
})
