import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export interface TextFile {
  path: string
  text: string
}

const batchBytes = 64_000_000

/** The git folder of a repository below `mirrors`, in `{owner}+{name}/repo`. */
export function gitFolder(mirrors: string, repository: string): string {
  const folder = join(mirrors, repository.replace('/', '+'), 'repo')
  return existsSync(join(folder, '.git')) ? join(folder, '.git') : folder
}

export function git(folder: string, args: readonly string[], input?: string): Buffer {
  const { stdout, status, stderr } = spawnSync('git', [`--git-dir=${folder}`, ...args], {
    input,
    maxBuffer: 2_000_000_000,
  })
  if (status !== 0 && stdout.length === 0) throw new Error(`git ${args[0]} in ${folder}: ${stderr}`)
  return stdout
}

/** The files of HEAD whose path matches, in git's order; files missing from a snapshot are skipped. */
export function* filesOf(folder: string, matches: (path: string) => boolean): Generator<TextFile> {
  let batch: { path: string; hash: string }[] = []
  let bytes = 0
  for (const entry of git(folder, ['ls-tree', '-r', '-l', '-z', 'HEAD']).toString('utf8').split('\0')) {
    const [, mode, type, hash, size, path] = /^(\d+) (\w+) (\w+) +(\S+)\t(.*)$/s.exec(entry) ?? []
    if (type !== 'blob' || mode === '120000' || !/^\d+$/.test(size!) || !matches(path!)) continue
    batch.push({ path: path!, hash: hash! })
    bytes += Number(size)
    if (bytes < batchBytes) continue
    yield* contents(folder, batch)
    batch = []
    bytes = 0
  }
  yield* contents(folder, batch)
}

function* contents(folder: string, batch: readonly { path: string; hash: string }[]): Generator<TextFile> {
  if (batch.length === 0) return
  const out = git(folder, ['cat-file', '--batch'], batch.map(({ hash }) => `${hash}\n`).join(''))
  let at = 0
  for (const { path } of batch) {
    const end = out.indexOf(10, at)
    const [, type, size] = out.toString('latin1', at, end).split(' ')
    at = end + 1
    if (type !== 'blob') continue
    yield { path, text: out.toString('utf8', at, at + Number(size)) }
    at += Number(size) + 1
  }
}

export interface Commit {
  subject: string
  body: string
}

const trailers =
  /^(Signed-off-by|Reviewed-by|Acked-by|Helped-by|Co-authored-by|Closes|Fixes|See|git-svn-id|Reported-by|Tested-by|Change-Id|Suggested-by|Mentored-by|Based-on-patch-by|Cc|Implements|Related|Closes-Bug|Partial-Bug)\b.*$/gim

/** Messages of the newest commits that have more than a subject. */
export function* commitsOf(folder: string, newest: number): Generator<Commit> {
  const log = git(folder, ['log', '--no-merges', `-${newest}`, '--format=%s%x01%b%x02', 'HEAD'])
  for (const message of log.toString('utf8').split('\u0002')) {
    const [subject = '', body = ''] = message.split('\u0001')
    const said = body.replace(trailers, '').replace(/https?:\/\/\S+|\b[0-9a-f]{7,40}\b/g, ' ')
    if (said.split(/\s+/).length < 12) continue
    yield { subject: subject.replace(/\(?#\d+\)?/g, ' ').trim(), body: said }
  }
}
