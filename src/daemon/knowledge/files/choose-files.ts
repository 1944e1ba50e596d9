import picomatch from 'picomatch'

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
  // Nested extglobs can take a regular expression for ever.
  const options = { noextglob: true }
  const takes = picomatch([...patterns], options)
  const ignored = { ...options, dot: true }
  const names = picomatch(
    ignorePatterns.filter(pattern => !pattern.includes('/')),
    ignored,
  )
  const paths = picomatch(
    ignorePatterns.filter(pattern => pattern.includes('/')),
    ignored,
  )
  return { takes: path => takes(path), ignores: (path, name) => names(name) || paths(path) }
}
