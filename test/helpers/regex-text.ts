import { nodesIn, type SyntaxNode } from './syntax-tree.js'

/** Values of constants by name, as syntax. */
export type Constants = ReadonlyMap<string, SyntaxNode>

/** Replaces the parts that are only known when the program runs, also counts. */
const unknown = '3'

/** Lists the top-level constants of files; those of the first file win. */
export function constantsIn(programs: readonly SyntaxNode[]): Constants {
  const found = new Map<string, SyntaxNode>()
  for (const node of programs.flatMap(nodesIn)) {
    const { type, id, init } = node as { type: string; id?: { name?: string }; init?: SyntaxNode }
    if (type === 'VariableDeclarator' && id?.name && init && !found.has(id.name)) found.set(id.name, init)
  }
  return found
}

/** The text of an expression, with `3` for the parts that only a run knows. */
export function textOf(node: SyntaxNode, constants: Constants, depth = 0): string {
  return String(valueIn(node, constants, depth) ?? unknown)
}

function valueIn(node: SyntaxNode, constants: Constants, depth: number): unknown {
  if (depth > 20) return undefined
  const inner = (one: unknown) => valueIn(one as SyntaxNode, constants, depth + 1)
  const text = (one: unknown) => textOf(one as SyntaxNode, constants, depth + 1)
  switch (node.type) {
    case 'StringLiteral':
    case 'NumericLiteral':
      return node.value
    case 'RegExpLiteral':
      return node.pattern
    case 'TemplateLiteral':
      return joined(node, 'cooked', text)
    case 'TaggedTemplateExpression':
      return joined(node.quasi as SyntaxNode, 'raw', text)
    case 'BinaryExpression':
      return text(node.left) + text(node.right)
    case 'ArrayExpression':
      return (node.elements as SyntaxNode[]).flatMap(one =>
        one.type === 'SpreadElement' ? inner(one.argument) : [inner(one) ?? unknown],
      )
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return inner(node.expression)
    case 'Identifier': {
      const constant = constants.get(node.name as string)
      return constant && inner(constant)
    }
    case 'MemberExpression':
      return (node.property as { name?: string }).name === 'source' ? inner(node.object) : undefined
    case 'CallExpression':
      return calledOf(node, inner)
    default:
      return undefined
  }
}

function joined(template: SyntaxNode, kind: 'cooked' | 'raw', text: (one: unknown) => string): string {
  const between = template.expressions as SyntaxNode[]
  return (template.quasis as { value: Record<string, string> }[])
    .map(({ value }, at) => value[kind] + (between[at] === undefined ? '' : text(between[at])))
    .join('')
}

/** `parts.join('|')`, and `words.split(' ')`. */
function calledOf(node: SyntaxNode, inner: (one: unknown) => unknown): unknown {
  const { callee, arguments: given } = node as unknown as { callee: SyntaxNode; arguments: SyntaxNode[] }
  const name = (callee.property as { name?: string } | undefined)?.name
  const [object, separator] = [callee.object && inner(callee.object), given[0] && inner(given[0])]
  if (name === 'join' && Array.isArray(object)) return object.join(String(separator ?? ','))
  if (name === 'split' && typeof object === 'string') return object.split(String(separator))
  return undefined
}
