export interface Match {
  /** Id with colons: `daemon:run`. */
  id: string
  /** What follows the command's words. */
  argv: string[]
}

/**
 * The command that leading words name, the longest id first: `daemon run --json` is `daemon:run`.
 * @returns undefined when no command is named (nothing, a topic, a typing error, a flag in front).
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

/** True when `--help` or `-h` is asked for; behind `--` it is an argument. */
export function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).some(word => word === '--help' || word === '-h')
}

/** The known names nearest to a mistyped one, best first, at most three; empty when none is close. */
export function nearest(name: string, known: readonly string[]): string[] {
  const limit = Math.max(1, Math.floor(name.length / 3))
  return known
    .map(candidate => ({ candidate, distance: editDistance(name, candidate) }))
    .filter(({ candidate, distance }) => distance <= limit || candidate.startsWith(name))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + change))
    }
    row = next
  }
  return row[b.length]!
}
