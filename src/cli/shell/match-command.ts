export interface Match {
  /** Id with colons: `daemon:run`. */
  id: string
  /** Arguments after the command's words. */
  argv: string[]
}

/**
 * Finds the command of the leading words, longest id first: `daemon run --json` is `daemon:run`.
 * @returns undefined without a command (no words, a topic, a typing error, a leading flag).
 */
export function matchCommand(argv: readonly string[], ids: readonly string[]): Match | undefined {
  const end = argv.findIndex(word => word.startsWith('-'))
  const words = end < 0 ? argv : argv.slice(0, end)
  for (let count = Math.min(words.length, 4); count > 0; count--) {
    const id = words.slice(0, count).join(':')
    if (ids.includes(id)) return { id, argv: argv.slice(count) }
  }
  return undefined
}

/** Returns true for `--help` or `-h`; after `--` they are arguments. */
export function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).some(word => word === '--help' || word === '-h')
}
