const others = 0o077

/**
 * What this process makes is for its owner alone, SQLite's files and logs included, whatever umask it was started with;
 * and its owner may read and write it.
 */
export function keepFilesPrivate(): void {
  process.umask(others)
}

/**
 * A mask that takes rights from the owner would leave files that the next command can't write. Files that say their own
 * mode get it then; the others follow the user's mask, since some are his, not ours.
 */
export function keepFilesUsable(): void {
  process.umask(process.umask() & others)
}
