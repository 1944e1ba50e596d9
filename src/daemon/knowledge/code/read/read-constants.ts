import type { Reply } from '../../../../contract/api.js'
import type { OpenIndex } from './open-index.js'

type Constants = Reply<'GET /api/code/constants'>

/** Named constants with their values, by path (code-index.md 8). */
export function readConstants(
  { root, reads }: OpenIndex,
  { query, top }: { query: string | undefined; top: number },
): Constants {
  const wanted = query?.toLowerCase()
  const found: Constants['constants'] = []
  for (const { qualified_name: name, value, path, start_line: line, kind } of reads.constants())
    if (
      value !== null &&
      (wanted === undefined
        ? kind === 'constant'
        : [name, value, path].some(text => text.toLowerCase().includes(wanted)))
    )
      found.push({ name, value, path, line })
  const inOrder = found.toSorted((one, other) =>
    one.path < other.path ? -1 : one.path > other.path ? 1 : one.line - other.line,
  )
  return { project: root, constants: inOrder.slice(0, top), total: found.length }
}
