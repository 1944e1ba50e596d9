import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createGit, type Git, type GitEnd, GitFault } from '../../../platform/processes/git-program.js'
import { type GitAccess, readAccess } from './git-access.js'
import { TransportFault, type TransportFaultKind, type TransportOptions } from './transport.js'

/** The files of a commit, by name. */
export interface SeenTree {
  /** Undefined while the repository has no branch of ours. */
  commit: string | undefined
  files: ReadonlyMap<string, { id: string; bytes: number }>
}

export interface TreeChange {
  added: readonly { name: string; bytes: Uint8Array }[]
  removed: readonly string[]
}

/** Our own copy of the branch. Its functions run one after another. */
export interface GitClone {
  /** Sentences about a history that somebody else changed. */
  oddities: string[]
  /** @throws TransportFault */
  fetch(): Promise<SeenTree>
  /** @returns the pushed tree; undefined when others pushed before. @throws TransportFault */
  push(base: SeenTree, change: TreeChange): Promise<SeenTree | undefined>
  read(id: string): Promise<Buffer>
}

export const syncBranch = 'memory-sync'
const branchRef = `refs/heads/${syncBranch}`
/** The last commit of the remote that was seen, over restarts. */
const seenRef = 'refs/sync/seen'
const fetchedRef = 'refs/sync/fetched'
const nextRef = 'refs/sync/next'
/** The first transfer of a large store. */
const remoteMs = 600_000
/** Names nobody: the provider learns no name and address from commits. */
const committer = 'memory-sync <memory-sync@localhost>'

/** A copy that a kill or the disk damaged: it is thrown away and fetched again. */
class CloneFault extends Error {}

export function openClone(
  remote: string,
  { place, signal, deps, credentials, advice }: TransportOptions,
): GitClone {
  const folder = join(deps.paths.syncClones, createHash('sha256').update(remote).digest('hex').slice(0, 16))
  const git = createGit(deps, signal)
  const oddities: string[] = []
  let access: GitAccess | undefined
  const ask = async (args: readonly string[], input?: string | Uint8Array): Promise<GitEnd> => {
    access ??= await readAccess(git, remote, folder)
    const { ssh, variables, options } = access.with(await credentials())
    try {
      return await git.ask(args, {
        ...{ cwd: folder, options: ['--git-dir=.', ...options], variables, timeoutMs: remoteMs },
        ...(ssh !== undefined && { ssh }),
        ...(input !== undefined && { input }),
      })
    } catch (error) {
      throw signal.aborted ? signal.reason : faultOf(error, place)
    }
  }
  const local = async (args: readonly string[], input?: string | Uint8Array): Promise<Buffer> => {
    const { code, bytes, words } = await ask(args, input)
    if (code === 0) return bytes
    throw new CloneFault(`git ${args[0]}: ${words || `ended with code ${code}`}`)
  }
  const parts: Parts = { ask, local, remote, place, advice, oddities }
  const whole = repairing(() => prepare(git, folder, place), folder, place)
  const fetch = (): Promise<SeenTree> => fetchBranch(parts)
  const read = (id: string): Promise<Buffer> => local(['cat-file', 'blob', id])
  return {
    oddities,
    fetch: () => whole(fetch, fetch),
    push: (base, change) =>
      whole(
        () => pushChange(parts, base, change),
        async () => undefined,
      ),
    read: id =>
      whole(
        () => read(id),
        async () => {
          await fetch()
          return read(id)
        },
      ),
  }
}

/** Throws a damaged copy away and goes on with a new one. */
function repairing(prepared: () => Promise<void>, folder: string, place: string) {
  return async <T>(work: () => Promise<T>, afterLoss: () => Promise<T>): Promise<T> => {
    await prepared()
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CloneFault)) throw error
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    await prepared()
    try {
      return await afterLoss()
    } catch (error) {
      if (!(error instanceof CloneFault)) throw error
      throw new TransportFault(`${place}: ${error.message}`, { kind: kindOf(error.message), cause: error })
    }
  }
}

interface Parts {
  ask(args: readonly string[], input?: string | Uint8Array): Promise<GitEnd>
  /** @throws CloneFault when git fails */
  local(args: readonly string[], input?: string | Uint8Array): Promise<Buffer>
  remote: string
  place: string
  advice: string
  oddities: string[]
}

async function prepare(git: Git, folder: string, place: string): Promise<void> {
  if (existsSync(join(folder, 'HEAD'))) return
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await git.run(['init', '--quiet', '--bare', '--template=', '--', '.'], { cwd: folder })
  } catch (error) {
    throw faultOf(error, place)
  }
}

async function fetchBranch(parts: Parts): Promise<SeenTree> {
  const { ask, local, remote, place, oddities } = parts
  const source = `+${branchRef}:${fetchedRef}`
  const end = await ask(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', remote, source])
  const before = await commitAt(parts, seenRef)
  if (end.code !== 0) {
    if (!/couldn't find remote ref/u.test(end.words)) throw failedRemote(parts, end)
    if (before) {
      oddities.push(
        `the branch ${syncBranch} of ${place} is gone: somebody deleted it, or the whole repository`,
      )
      await local(['update-ref', '-d', seenRef])
    }
    return { commit: undefined, files: new Map() }
  }
  const commit = (await local(['rev-parse', '--verify', fetchedRef])).toString().trim()
  if (before && (await wentBack(parts, before, commit)))
    oddities.push(`the branch ${syncBranch} of ${place} was rewritten or rolled back by somebody else`)
  if (before !== commit) await local(['update-ref', seenRef, commit])
  return { commit, files: await filesOf(parts, commit) }
}

/** A machine that begins a new history counts one up, so a lower number is an older state. */
async function wentBack(parts: Parts, before: string, commit: string): Promise<boolean> {
  if (before === commit) return false
  const { code } = await parts.ask(['merge-base', '--is-ancestor', before, commit])
  return code !== 0 && (await beginningOf(parts, commit)) <= (await beginningOf(parts, before))
}

const subjectOf = (beginning: number): string => `memory sync ${beginning}`

/** Counts the histories that were begun. */
async function beginningOf({ local }: Parts, commit: string): Promise<number> {
  const subject = (await local(['log', '-1', '--format=%s', commit])).toString().trim()
  return Number(/^memory sync (\d{1,9})$/u.exec(subject)?.[1] ?? 0)
}

async function commitAt({ ask }: Parts, ref: string): Promise<string | undefined> {
  const { code, stdout } = await ask(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])
  return code === 0 ? stdout.trim() : undefined
}

/** Plain files only; anything else in the branch is not ours. */
async function filesOf({ local }: Parts, commit: string): Promise<SeenTree['files']> {
  const rows = (await local(['ls-tree', '-r', '-l', '-z', commit])).toString().split('\0')
  const files = new Map<string, { id: string; bytes: number }>()
  for (const row of rows) {
    const [, id, bytes, name] = /^100644 blob ([0-9a-f]{40,64}) +(\d+)\t(.*)$/su.exec(row) ?? []
    if (id !== undefined && name !== undefined) files.set(name, { id, bytes: Number(bytes) })
  }
  return files
}

async function pushChange(
  parts: Parts,
  base: SeenTree,
  change: TreeChange,
  begins = change.removed.length > 0,
): Promise<SeenTree | undefined> {
  const commit = await commitOn(parts, base, change, begins)
  const lease = `--force-with-lease=${branchRef}:${base.commit ?? ''}`
  const end = await pushCommit(parts, commit, begins ? [lease] : [])
  if (end.code === 0) {
    await parts.local(['update-ref', seenRef, commit])
    return { commit, files: await filesOf(parts, commit) }
  }
  if (isBehind(end)) return undefined
  // Some servers let nobody begin a new history.
  if (begins && isDeclined(end)) return pushChange(parts, base, change, false)
  throw failedRemote(parts, end)
}

async function pushCommit(
  { ask, remote }: Parts,
  commit: string,
  options: readonly string[],
): Promise<GitEnd> {
  const args = ['push', '--quiet', '--no-verify', '--porcelain', ...options]
  const end = await ask([...args, '--', remote, `${commit}:${branchRef}`])
  const refused = end.stdout.split('\n').filter(line => line.startsWith('!'))
  return { ...end, words: [end.words, ...refused].join(' ').trim() }
}

/** Other machines pushed first. */
function isBehind({ words }: GitEnd): boolean {
  return /\[rejected\]|cannot lock ref|failed to update ref|incorrect old value|reference already exists/iu.test(
    words,
  )
}

function isDeclined({ words }: GitEnd): boolean {
  return /\[remote rejected\]|protected/iu.test(words)
}

/** Makes a commit from one stream, so that any number of files needs one process. */
async function commitOn(
  parts: Parts,
  base: SeenTree,
  { added, removed }: TreeChange,
  begins: boolean,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const before = base.commit === undefined ? 0 : await beginningOf(parts, base.commit)
  const subject = subjectOf(begins ? before + 1 : before)
  const pieces: (string | Uint8Array)[] = [
    `commit ${nextRef}\ncommitter ${committer} ${now} +0000\ndata ${subject.length}\n${subject}\n`,
  ]
  if (base.commit !== undefined)
    pieces.push(begins ? `M 040000 ${await treeOf(parts, base.commit)} ""\n` : `from ${base.commit}\n`)
  for (const { name, bytes } of added)
    pieces.push(`M 100644 inline ${name}\ndata ${bytes.length}\n`, bytes, '\n')
  for (const name of removed) pieces.push(`D ${name}\n`)
  pieces.push('\ndone\n')
  const stream = Buffer.concat(pieces.map(piece => Buffer.from(piece as Uint8Array)))
  await parts.local(['fast-import', '--quiet', '--force', '--done'], stream)
  return (await parts.local(['rev-parse', '--verify', nextRef])).toString().trim()
}

async function treeOf({ local }: Parts, commit: string): Promise<string> {
  return (await local(['rev-parse', '--verify', `${commit}^{tree}`])).toString().trim()
}

/** Of git's own words, the first row that fits. */
const kinds: readonly (readonly [words: RegExp, kind: TransportFaultKind])[] = [
  [/no space left|quota|exceeds|too large|size limit|insufficient storage/iu, 'full'],
  [
    /could not read (?:username|password)|terminal prompts disabled|authentication failed|permission denied|host key verification|denied|forbidden|dubious ownership|protected|returned error: 40[13]/iu,
    'refused',
  ],
  [/not found|does not exist|does not appear to be a git repository|returned error: 404/iu, 'absent'],
  [
    /could not resolve|could not connect|failed to connect|connection (?:refused|reset|timed out|closed)|timed out|timeout|hung up|early eof|rpc failed|unexpected disconnect|could not read from remote|unable to access|unpack|network is unreachable|kex_exchange/iu,
    'unreachable',
  ],
]

function kindOf(words: string): TransportFaultKind {
  return kinds.find(([pattern]) => pattern.test(words))?.[1] ?? 'damaged'
}

/** A disturbed copy of ours fails with these words. */
const cloneWords =
  /\.lock'?: file exists|bad object|loose object|object file [^\n]{1,300} is empty|unable to read (?:sha1|tree)|missing (?:blob|tree|commit)/iu

function failedRemote({ place, advice }: Parts, { words, code }: GitEnd): Error {
  if (cloneWords.test(words)) return new CloneFault(words)
  const kind = kindOf(words)
  const next = kind === 'refused' ? `; ${advice}` : ''
  return new TransportFault(`${place}: ${words || `git ended with code ${code}`}${next}`, { kind })
}

/** Git is missing, or took too long. */
function faultOf(error: unknown, place: string): unknown {
  if (!(error instanceof GitFault)) return error
  const kind = error.isCutShort ? 'unreachable' : 'absent'
  return new TransportFault(`${place}: ${error.message}`, { kind, cause: error })
}
