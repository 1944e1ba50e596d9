import type { Ground } from '../../ground/ground.js'
import { createGit, type Git, type GitCall } from './git-program.js'

/**
 * Commands that run no program that a repository's own config or attributes name. Others, such as `status`
 * and `diff`, run its filters.
 */
const harmless = {
  'cat-file': [],
  'for-each-ref': [],
  'ls-tree': [],
  'merge-base': [],
  'rev-list': [],
  'rev-parse': [],
  'show-ref': [],
  'symbolic-ref': [],
  'diff-tree': ['--no-ext-diff', '--no-textconv'],
  log: ['--no-ext-diff', '--no-textconv', '--no-show-signature'],
  show: ['--no-ext-diff', '--no-textconv', '--no-show-signature'],
} as const

export type HarmlessCommand = keyof typeof harmless

/** The config of a repository cannot override these (security.md#foreign-folders). */
const options = [
  '--no-pager',
  ...['-c', 'safe.bareRepository=explicit'],
  ...['-c', 'protocol.allow=never'],
  ...['-c', 'credential.helper='],
  ...['-c', 'core.alternateRefsCommand='],
]

/**
 * `GIT_ALLOW_PROTOCOL` prevents fetching of missing objects from a remote that the repository names, with the
 * program that it names. Git 2.45 and later do not even try because of `GIT_NO_LAZY_FETCH`.
 */
const variables = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }

/** Git in a repository of others: it answers questions and runs nothing that the repository brings. */
export interface ForeignGit {
  /** @throws GitFault with git's message when it fails */
  run(command: HarmlessCommand, args: readonly string[], call?: QuestionCall): Promise<string>
  /** The same for commands whose exit code is an answer. */
  ask(command: HarmlessCommand, args: readonly string[], call?: QuestionCall): ReturnType<Git['ask']>
}

type QuestionCall = Pick<GitCall, 'input' | 'timeoutMs'>

/**
 * Git starts in the workspace, since some systems look for programs in the current folder first.
 * @param place a working tree, or git's own folder
 * @param signal ends running commands when the daemon ends
 */
export function createForeignGit(
  deps: Pick<Ground, 'paths' | 'log' | 'environment'>,
  place: { folder: string } | { gitDir: string },
  signal: AbortSignal,
): ForeignGit {
  const git = createGit(deps, signal)
  const at = 'folder' in place ? ['-C', place.folder] : [`--git-dir=${place.gitDir}`]
  const argsOf = (command: HarmlessCommand, args: readonly string[]): string[] => [
    command,
    ...harmless[command],
    ...args,
  ]
  const callOf = (call: QuestionCall = {}): GitCall => ({
    ...call,
    cwd: deps.paths.root,
    options: [...at, ...options],
    variables,
  })
  return {
    run: (command, args, call) => git.run(argsOf(command, args), callOf(call)),
    ask: (command, args, call) => git.ask(argsOf(command, args), callOf(call)),
  }
}
