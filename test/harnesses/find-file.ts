import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The text of the first file below a folder with this path ending; undefined when there is none. */
export function textOfFile(folder: string, ending: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(each => each.endsWith(ending))
  return name === undefined ? undefined : readFileSync(join(folder, name), 'utf8')
}
