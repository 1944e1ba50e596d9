import { win32 } from 'node:path'

const others = 0o077

/**
 * Makes new files accessible to their owner alone, including SQLite's files and logs, whatever umask was
 * inherited. The owner gets read and write access even if the inherited umask denies it.
 */
export function keepFilesPrivate(): void {
  process.umask(others)
}

/**
 * Restores the owner's access in the umask: a mask that removes it would leave files the next command cannot
 * write. The user's mask still applies to group and others, since some of the files are the user's own.
 */
export function keepFilesUsable(): void {
  process.umask(process.umask() & others)
}

/** The variables of Windows that name its user. */
export type UserVariables = Readonly<Partial<Record<'USERPROFILE' | 'USERNAME' | 'USERDOMAIN', string>>>

/** Returns true for a folder of Windows outside its user's profile, which protects what is in it. */
export function isOutsideProfile(folder: string, { USERPROFILE: profile }: UserVariables): boolean {
  if (!profile) return false
  const way = win32.relative(profile, folder)
  return win32.isAbsolute(way) || /^\.\.(?:[\\/]|$)/u.test(way)
}

/** Returns true if a folder of Windows inherits the rights of the folder above, which lets in every user. */
export async function isOpenToUsers(folder: string): Promise<boolean> {
  // icacls marks an inherited right with (I) in every language.
  return (await icacls([folder])).includes('(I)')
}

/** Lets nobody but its user into a folder of Windows and everything below it. @throws Error of icacls. */
export async function closeToUsers(folder: string, { USERDOMAIN, USERNAME }: UserVariables): Promise<void> {
  const user = USERDOMAIN ? `${USERDOMAIN}\\${USERNAME}` : USERNAME
  await icacls([folder, '/inheritance:r', '/grant:r', `${user}:(OI)(CI)F`])
}

async function icacls(args: readonly string[]): Promise<string> {
  const [{ execFile }, { promisify }] = await Promise.all([import('node:child_process'), import('node:util')])
  return (await promisify(execFile)('icacls', args, { timeout: 60_000, windowsHide: true })).stdout
}
