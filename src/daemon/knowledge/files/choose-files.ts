import { globMatcher } from './glob-matcher.js'

/** Which paths below a root are taken; paths have `/` between their parts. */
export interface Choice {
  takes(path: string): boolean
  /** A file, or a folder with all in it. */
  ignores(path: string, name: string): boolean
}

/**
 * A pattern to ignore that has no `/` is the name of a file or a folder at any depth, any other one a path below the
 * root. Hidden files and folders are taken where a pattern names the dot.
 */
export function choiceOf({
  patterns,
  ignorePatterns,
}: {
  patterns: readonly string[]
  ignorePatterns: readonly string[]
}): Choice {
  const ignored = { dot: true }
  const names = globMatcher(
    ignorePatterns.filter(pattern => !pattern.includes('/')),
    ignored,
  )
  const paths = globMatcher(
    ignorePatterns.filter(pattern => pattern.includes('/')),
    ignored,
  )
  return { takes: globMatcher(patterns), ignores: (path, name) => names(name) || paths(path) }
}
