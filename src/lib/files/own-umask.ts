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
