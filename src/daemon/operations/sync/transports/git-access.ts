import type { Git } from '../../../platform/processes/git-program.js'

/** How git reaches a remote. */
export interface GitAccess {
  with(credentials: string | undefined): {
    ssh: string | undefined
    options: readonly string[]
    variables: Readonly<Record<string, string>>
  }
}

/** The settings of the person that lead to a remote: its login, proxies, certificates, and ssh. */
const needed = String.raw`^(credential|http)\.|^core\.sshcommand$`
/** A token needs some name of a user. */
const anyUser = 'x-access-token'

/**
 * Reads how the person reaches remotes, and nothing else of the person's settings: no hooks, filters, aliases
 * or other addresses. Settings go through variables, which other users can't read as they could arguments.
 */
export async function readAccess(git: Git, remote: string, folder: string): Promise<GitAccess> {
  // A repository of ours has none of them, as the one of the workspace may have.
  const call = { cwd: folder, options: ['--git-dir=.'] }
  const { stdout } = await git.ask(['config', '--includes', '-z', '--get-regexp', needed], call)
  const settings = stdout
    .split('\0')
    .filter(Boolean)
    .map(line => {
      const at = line.indexOf('\n')
      return at < 0 ? ([line, ''] as const) : ([line.slice(0, at), line.slice(at + 1)] as const)
    })
  const ssh = settings.findLast(([name]) => name === 'core.sshcommand')?.[1]
  const scheme = /^(ssh|https?|file):/u.exec(remote)?.[1] ?? 'ssh'
  const options = ['-c', 'protocol.allow=never', '-c', `protocol.${scheme}.allow=always`]
  return {
    with: credentials => ({
      ssh,
      options,
      variables: variablesOf([
        ...settings,
        ...(credentials === undefined ? [] : loginOf(credentials)),
        ['push.gpgsign', 'false'],
        ['gc.auto', '2000'],
      ]),
    }),
  }
}

/** The header goes to no other host: redirects are not followed. */
function loginOf(credentials: string): (readonly [string, string])[] {
  const pair = credentials.includes(':') ? credentials : `${anyUser}:${credentials}`
  return [
    ['http.extraheader', `Authorization: Basic ${Buffer.from(pair).toString('base64')}`],
    ['http.followredirects', 'false'],
  ]
}

function variablesOf(settings: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  return {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, name],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  }
}
