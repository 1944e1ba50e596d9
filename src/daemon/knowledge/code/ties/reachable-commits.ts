import type { Daemon } from '../../../platform/daemon/daemon.js'
import { createGit, GitFault } from '../../../platform/processes/git-program.js'

/** What git may take for the commits that are asked of it together. */
const timeoutMs = 10_000
/** No object is fetched for a question. */
const offline = ['-c', 'protocol.allow=never'] as const

/**
 * Which of some hashes, as they are written, are commits that a branch, a tag or HEAD has. One that was written anew
 * (amend, rebase) may lie in the repository for weeks, and counts no more.
 * @returns undefined where git can't tell: it is missing, is no repository's, or takes too long.
 */
export async function reachableCommits(
  deps: Pick<Daemon, 'paths' | 'log' | 'environment'>,
  root: string,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const git = createGit(deps, signal)
  const ask = (args: readonly string[], lines: readonly string[]): Promise<string> =>
    git.run([...offline, ...args], { cwd: root, timeoutMs, input: lines.map(line => `${line}\n`).join('') })
  try {
    const named = hashes.map(hash => `${hash}^{commit}`)
    const told = (await ask(['cat-file', '--batch-check'], named)).split('\n')
    const whole = new Map(hashes.map((hash, at) => [hash, /^([0-9a-f]+) commit /u.exec(told[at] ?? '')?.[1]]))
    const there = [...new Set(whole.values())].filter(hash => hash !== undefined)
    if (there.length === 0) return new Set()
    const left = await ask(['rev-list', '--stdin', '--not', '--all'], there)
    const unreachable = new Set(left.split('\n'))
    return new Set(hashes.filter(hash => !unreachable.has(whole.get(hash) ?? '') && whole.get(hash)))
  } catch (error) {
    if (!(error instanceof GitFault)) throw error
    if (!signal.aborted) deps.log.info({ err: error }, 'commits that memories name not looked up')
    return undefined
  }
}
