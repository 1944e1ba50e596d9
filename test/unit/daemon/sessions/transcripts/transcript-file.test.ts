import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { fullAccess } from '../../../../../src/daemon/ground/visibility/caller.js'
import {
  mayNameTranscript,
  transcriptFile,
} from '../../../../../src/daemon/sessions/transcripts/transcript-file.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

type CallerIdentity = Pick<typeof fullAccess, 'credential' | 'role'>
const member: CallerIdentity = { credential: 'api-key', role: 'agent' }

/** Creates a Claude Code home with a session folder, and a folder outside it with forbidden files. */
function folders(t: ExecutionContext) {
  const home = realpathSync(temporaryWorkspace(t))
  const sessions = join(home, 'projects', 'shop')
  const outside = join(home, 'projects-of-others')
  for (const folder of [sessions, outside]) mkdirSync(folder, { recursive: true })
  const put = (...path: string[]) => {
    const file = join(...path)
    writeFileSync(file, '{"role":"user","text":"hello"}\n')
    return file
  }
  const link = (target: string, ...path: string[]) => {
    const file = join(...path)
    symlinkSync(target, file)
    return file
  }
  const may = (path: string, shown = member, configured = home, place: object = { peer: '127.0.0.1' }) => {
    const caller = { access: { ...fullAccess, ...shown }, peer: undefined, ...place }
    return mayNameTranscript({ environment: { CLAUDE_CONFIG_DIR: configured } }, caller, path)
  }
  return { home, sessions, outside, put, link, may }
}

test('a caller with a credential may name only files with a session extension (rules.md 4.10)', async t => {
  const { sessions, put, may } = folders(t)
  for (const name of ['a.jsonl', 'a.json']) t.true(await may(put(sessions, name)), name)
  for (const name of ['a.env', 'a.txt', 'a.md', 'a.jsonl.bak', 'a.jsonlx', 'jsonl', '.env'])
    t.false(await may(put(sessions, name)), name)
  const odd = join(sessions, 'folder.jsonl')
  mkdirSync(odd)
  t.false(await may(put(odd, 'a.env')), 'the ending is that of the file')
})

test('a caller with a credential may name only files inside session folders (rules.md 4.10)', async t => {
  const { home, sessions, outside, put, may } = folders(t)
  const file = put(sessions, 'a.jsonl')
  const other = put(outside, 'a.jsonl')
  t.false(await may(other), 'a folder whose name begins alike is another one')
  t.false(await may(put(home, 'a.jsonl')))
  t.false(await may(`${sessions}/../../projects-of-others/a.jsonl`))
  t.true(await may(`${outside}/../projects/shop/a.jsonl`))
  t.true(await may(file))
})

test('the target of a link decides, not its name and location (rules.md 4.10)', async t => {
  const { home, sessions, outside, put, link, may } = folders(t)
  const file = put(sessions, 'a.jsonl')
  t.false(await may(link(put(outside, 'a.jsonl'), sessions, 'out.jsonl')))
  t.false(await may(link(put(sessions, 'a.env'), sessions, 'env.jsonl')))
  t.false(await may(join(link(outside, sessions, 'way'), 'a.jsonl')))
  t.true(await may(link(file, outside, 'in.jsonl')))
  t.true(await may(file, member, link(home, outside, 'home')), 'the folder of sessions may be a link')
})

test('a missing file is checked by its intended path (rules.md 4.10)', async t => {
  const { sessions, outside, may } = folders(t)
  t.true(await may(join(sessions, 'gone.jsonl')))
  t.false(await may(join(outside, 'gone.jsonl')))
  t.false(await may(`${sessions}/../../gone.jsonl`))
})

test('admins and callers without required credentials may name any file (rules.md 4.10)', async t => {
  const { outside, put, may } = folders(t)
  const file = put(outside, 'a.env')
  t.true(await may(file, { credential: 'none', role: 'agent' }))
  t.true(await may(file, { credential: 'token', role: 'admin' }))
  t.false(await may(file, { credential: 'token', role: 'operator' }))
})

test('callers from other machines or through a proxy may not name local files (security.md 5.1)', async t => {
  const { home, sessions, put, may } = folders(t)
  const file = put(sessions, 'a.jsonl')
  for (const place of [{ peer: '203.0.113.9' }, { peer: '127.0.0.1', forwarded: true }])
    for (const shown of [
      member,
      { credential: 'token', role: 'admin' },
      { credential: 'none', role: 'admin' },
    ])
      t.false(await may(file, shown as CallerIdentity, home, place))
})

test('a transcript is a regular file, not a folder, pipe or device, even behind a link (rules.md 4.10)', async t => {
  const { home, sessions, put, link } = folders(t)
  const paths = workspacePaths(join(home, 'workspace'))
  const folder = join(sessions, 'folder.jsonl')
  mkdirSync(folder)
  const pipe = join(sessions, 'pipe.jsonl')
  execFileSync('mkfifo', [pipe])
  for (const path of [folder, pipe, '/dev/null', link(pipe, sessions, 'link.jsonl')])
    await t.throwsAsync(transcriptFile({ paths }, path), { message: /is not a regular file/ }, path)
  const file = put(sessions, 'a.jsonl')
  t.deepEqual(await transcriptFile({ paths }, link(file, sessions, 'b.jsonl')), { path: file, bytes: 31 })
})
