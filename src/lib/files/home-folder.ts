import { homedir, userInfo } from 'node:os'

/**
 * The home folder of whoever runs this. An empty HOME, which Node hands on as it is, would put what belongs below it into
 * the current folder: the system's record of the user counts then.
 * @throws Error where nobody knows one, as in a container for a user without a name.
 */
export function homeFolder(): string {
  const home = known(homedir) || known(() => userInfo().homedir)
  if (home) return home
  throw new Error('there is no home folder: set HOME, or SERVICE_WORKSPACE to the folder of your memories')
}

function known(look: () => string): string | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
