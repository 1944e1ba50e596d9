/**
 * Returns a prompt without the folders that lead to the session's own project in absolute paths. Stack traces
 * and paths would otherwise name the project in every line, which asks nothing about it.
 * @param projectName as people see it; its last part is the name of the folder
 */
export function withoutOwnPaths(prompt: string, projectName: string): string {
  const folder = projectName.split(/[\\/]/u).at(-1) ?? ''
  if (folder === '' || !prompt.includes(folder)) return prompt
  const path = `(?<![\\w.~-])(?:~|[A-Za-z]:)?(?:[\\\\/][^\\s\\\\/:"'()]+){0,20}?[\\\\/]${literalPattern(folder)}(?=[\\\\/])`
  return prompt.replace(new RegExp(path, 'gu'), '')
}

/** Returns the source of a regular expression that matches exactly this text. */
export function literalPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&')
}
