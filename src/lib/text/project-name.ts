/**
 * Returns the short name of a project for people: the last segment of its key, without the remote or folder
 * that it lies in.
 */
export function shortNameOf(key: string): string {
  if (key.includes('#')) return key.slice(key.lastIndexOf('#') + 1)
  return key.split(/[/\\]/u).findLast(segment => segment !== '') ?? key
}
