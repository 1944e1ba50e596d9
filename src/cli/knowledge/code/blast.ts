import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { Colors } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'
import { doubtText, placeText } from './code-text.js'

type Blast = Reply<'GET /api/code/blast'>
type Node = Blast['nodes'][number]

const headings = { backward: 'used by', forward: 'uses' } as const

/** Formats the impact of a change as a tree. A node that occurs again is listed without its subtree. */
export function blastTree(blast: Blast, colors: Colors): string {
  const { roots, nodes, counts, files, truncated, depth } = blast
  const children = byParent(nodes)
  const ways = blast.direction === 'both' ? (['backward', 'forward'] as const) : [blast.direction]
  const trees = roots.flatMap((root, number) => [
    `${colors.bold(plainLine(root.qualified))}  ${colors.dim(`${root.kind}, ${placeText(root)}`)}`,
    ...ways.flatMap(way => {
      const lines = branches(children.get(`${way} of ${number}`) ?? [], children, '', colors)
      const title = ways.length > 1 ? [colors.dim(headings[way])] : []
      return lines.length > 0 ? [...title, ...lines] : [colors.dim(`${headings[way]}: none found`)]
    }),
  ])
  const sums = `${counts.certain} certain, ${counts.likely} likely, ${counts.ambiguous} ambiguous`
  const end = truncated ? `; limited to ${countOf(depth, 'step')}, more may exist` : ''
  return [...trees, '', `${sums}, in ${countOf(files.length, 'file')}${end}`].join('\n')
}

/** Groups nodes by their parent: another node, or a root with its direction. */
function byParent(nodes: readonly Node[]): Map<unknown, Node[]> {
  const children = new Map<unknown, Node[]>()
  for (const node of nodes) {
    const key = node.parent ?? `${node.direction} of ${node.root}`
    children.set(key, [...(children.get(key) ?? []), node])
  }
  return children
}

function branches(
  nodes: readonly Node[],
  children: ReadonlyMap<unknown, Node[]>,
  indent: string,
  colors: Colors,
): string[] {
  return nodes.flatMap((node, position) => {
    const isLast = position === nodes.length - 1
    const again = node.again ? colors.dim(' (shown above)') : ''
    const place = colors.dim(`${node.relation} at ${placeText(node.at)}`)
    const line = `${doubtText(node.way, colors)}${plainLine(node.symbol.qualified)}  ${place}${again}`
    const below = branches(
      children.get(node.id) ?? [],
      children,
      `${indent}${isLast ? '   ' : '│  '}`,
      colors,
    )
    return [`${indent}${isLast ? '└─ ' : '├─ '}${line}`, ...below]
  })
}
