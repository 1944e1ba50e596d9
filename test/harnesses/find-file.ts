import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The first file below a folder whose name ends so; undefined when there is none. */
export function findFile(folder: string, ending: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(each => each.endsWith(ending))
  return name === undefined ? undefined : join(folder, name)
}
