import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import {
  openSource,
  UncapturableTranscript,
  UnreadableTranscript,
} from '../../../../../src/daemon/sessions/capture/open-source.js'
import { LoopBudget } from '../../../../../src/lib/concurrency/loop-budget.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import type { CaptureRow } from '../../../../../src/store/tables/sessions/transcript-captures.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

const line = (text: string) => `${JSON.stringify({ role: 'user', text })}\n`

/** Creates a transcript waiting for its capture, next to an unrelated file. */
function createTranscript(t: ExecutionContext, name = 'said.jsonl', text = line('hello')) {
  const root = realpathSync(temporaryWorkspace(t))
  const folder = join(root, 'sessions')
  mkdirSync(folder)
  const path = join(folder, name)
  writeFileSync(path, text)
  const other = join(root, 'other.jsonl')
  writeFileSync(other, line('a secret of somebody'))
  const paths = workspacePaths(join(root, 'workspace'))
  const deps = { budget: new LoopBudget(), paths }
  const read = async () => {
    const texts: string[] = []
    for await (const message of await openSource(deps, { source: 'file', path } as CaptureRow))
      texts.push(message.text)
    return texts
  }
  const refuses = (message: RegExp) => t.throwsAsync(read(), { instanceOf: UncapturableTranscript, message })
  return { folder, path, other, paths, read, refuses }
}

test('an unchanged transcript is read (rules.md 4.10)', async t => {
  t.deepEqual(await createTranscript(t).read(), ['hello'])
})

test('a transcript that became a link is not read (rules.md 4.10)', async t => {
  const { path, other, refuses } = createTranscript(t)
  rmSync(path)
  symlinkSync(other, path)
  await refuses(/^the transcript is now a link$/)
})

test('a transcript in a folder that became a link is not read (rules.md 4.10)', async t => {
  const { folder, refuses } = createTranscript(t)
  renameSync(folder, `${folder}-moved`)
  symlinkSync(`${folder}-moved`, folder)
  await refuses(/^the transcript is now a link$/)
})

test('a transcript inside the workspace or that is no longer a file is not read (rules.md 4.10)', async t => {
  const { path, paths, refuses } = createTranscript(t)
  mkdirSync(paths.daemonDir, { recursive: true })
  const own = join(paths.daemonDir, 'auth-secret')
  writeFileSync(own, line('key'))
  rmSync(path)
  symlinkSync(own, path)
  await refuses(/^the transcript may no longer be read$/)
  rmSync(path)
  mkdirSync(path)
  await refuses(/^the transcript may no longer be read$/)
})

test('a missing transcript is reported without its path (rules.md 4.10)', async t => {
  const { path, other, read } = createTranscript(t)
  const gone = { instanceOf: UnreadableTranscript, message: "the transcript can't be read: ENOENT" }
  rmSync(path)
  await t.throwsAsync(read(), gone)
  symlinkSync(`${other}-gone`, path)
  await t.throwsAsync(read(), gone)
})

test('a transcript that cannot be opened now may be retried (rules.md 4.10)', async t => {
  const { path, read } = createTranscript(t)
  rmSync(path)
  symlinkSync(path, path)
  await t.throwsAsync(read(), {
    instanceOf: UnreadableTranscript,
    message: "the transcript can't be read: ELOOP",
  })
})

test('plain text with speakers counts as a transcript only with a text extension (rules.md 4.10)', async t => {
  const said = 'user: hello\nassistant: hi\n'
  t.deepEqual(await createTranscript(t, 'said.md', said).read(), ['hello', 'hi'])
  t.deepEqual(await createTranscript(t, 'said.txt', said).read(), ['hello', 'hi'])
  await createTranscript(t, 'said.conf', said).refuses(
    /^the file contains no conversation in a known format$/,
  )
  await createTranscript(t, 'said.md', 'milk\nbread\n').refuses(
    /^the file contains no conversation in a known format$/,
  )
})
