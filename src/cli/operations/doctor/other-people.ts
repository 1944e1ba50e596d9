import { readdir, readFile } from 'node:fs/promises'

/** Folders of Windows and macOS that belong to no person. */
const nobodys = new Set(['public', 'default', 'default user', 'all users', 'shared', 'guest', 'desktop.ini'])
const firstPerson = 1000
/** Higher ids belong to nobody and to services that start on demand. */
const lastPerson = 60_000

/** Counts people other than the first with an account on this machine, as far as its files show them. */
export async function otherPeople(platform: NodeJS.Platform): Promise<number> {
  const count =
    platform === 'linux'
      ? peopleIn(await readFile('/etc/passwd', 'utf8').catch(() => ''))
      : await homes(platform)
  return Math.max(0, count - 1)
}

/** Returns the number of people with a login shell in the text of /etc/passwd. */
export function peopleIn(passwd: string): number {
  return passwd.split('\n').filter(line => {
    const [, , uid = '', , , , shell = ''] = line.split(':')
    const isPerson = Number(uid) >= firstPerson && Number(uid) <= lastPerson
    return isPerson && shell !== '' && !/(?:nologin|false|sync)$/u.test(shell)
  }).length
}

async function homes(platform: NodeJS.Platform): Promise<number> {
  const names = await readdir(platform === 'win32' ? 'C:\\Users' : '/Users').catch(() => [])
  return names.filter(name => !name.startsWith('.') && !nobodys.has(name.toLowerCase())).length
}
