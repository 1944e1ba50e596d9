import test from 'ava'
import { readSources, type SourceFile, sourceTree } from '../helpers/source-tree.js'
import { childrenOf, nodesIn, type SyntaxNode, syntaxOf } from '../helpers/syntax-tree.js'

/** Functions that run again with the transaction that they are given to (`Store.write`). */
const running: ReadonlySet<string> = new Set(['transaction', 'write', 'together', 'change'])
const mayHaveWorks = /\.(?:transaction|write|together|change)\(|\b[tT]ables\b/u
/** Methods of arrays, maps and sets that change them. */
const changing: ReadonlySet<string> = new Set([
  ...['push', 'unshift', 'splice', 'pop', 'shift', 'sort', 'reverse', 'add', 'set', 'delete', 'clear'],
])

test('the work of a transaction changes nothing outside, or first gives it a new value', t => {
  t.deepEqual(readSources('src').flatMap(outerChanges), [])
})

test('changes of outer variables are caught in every form, unless the work first gives them new values', t => {
  const example = (body: string) =>
    outerChanges(sourceTree({ 'src/a.ts': `await store.transaction(async tables => {${body}})` })[0]!)
  t.deepEqual(example('const own = []; own.push(1); let count = 0; count++; tables.memories.add(1)'), [])
  for (const body of ['found = 1', 'if (a) found = 1', 'found.push(1)', 'found.count++', 'found[1] = 2'])
    t.deepEqual(example(`await tables.x(); if (a) { ${body} }`), ['src/a.ts:1: found'], body)
  t.deepEqual(example('this.count += 1'), ['src/a.ts:1: this'])
  t.deepEqual(example('found += 1'), ['src/a.ts:1: found'])
  t.deepEqual(example('[found, other.one] = [1, 2]; if (a) { found = 3; other.two = 1 }'), [
    'src/a.ts:1: other',
  ])
  t.deepEqual(example('found = await tables.x()'), [])
  t.deepEqual(example('found.count = 0; found.count++'), [])
  t.deepEqual(example('found.count = 0; found.size++; found[count] = 1'), [
    'src/a.ts:1: found',
    'src/a.ts:1: found',
  ])
  t.deepEqual(example('found = []; for (const a of b) found.push(a)'), [])
  t.deepEqual(example('found.clear(); found.length = 0; found.add(1)'), [])
  t.deepEqual(example('found.add(1); found.clear()'), ['src/a.ts:1: found'])
})

/** Lists the changes of outer variables in the works of a file. */
function outerChanges(source: SourceFile): string[] {
  if (source.path.startsWith('src/ui/') || !mayHaveWorks.test(source.text)) return []
  const works = nodesIn(syntaxOf(source)).flatMap(node => [...worksOf(node), ...helperOf(node)])
  return [...new Set(works)].flatMap(work =>
    changesIn(work).map(({ line, name }) => `${source.path}:${line}: ${name}`),
  )
}

/** The functions that a call gives to a transaction. */
function worksOf(node: SyntaxNode): SyntaxNode[] {
  if (node.type !== 'CallExpression') return []
  const { callee, arguments: given } = node as unknown as { callee: SyntaxNode; arguments: SyntaxNode[] }
  const name = callee.type === 'MemberExpression' ? nameOf(callee.property) : nameOf(callee)
  return running.has(name ?? '') ? given.filter(isFunction) : []
}

/** A function that a work calls: it takes the tables of the transaction. */
function helperOf(node: SyntaxNode): SyntaxNode[] {
  if (!isFunction(node) && node.type !== 'FunctionDeclaration') return []
  const takesTables = (node.params as SyntaxNode[]).some(
    parameter => nameOf(parameter) === 'tables' || nodesIn(parameter).some(one => nameOf(one) === 'Tables'),
  )
  return takesTables ? [node] : []
}

interface Change {
  line: number
  /** The variable. */
  name: string
  /** The variable, or its member that changes: `found.count`. */
  path: string
}

/** Changes of what the work did not make. */
function changesIn(work: SyntaxNode): Change[] {
  const own = namesBoundIn(work)
  const { body } = work as unknown as { body: SyntaxNode }
  const statements = body.type === 'BlockStatement' ? childrenOf(body) : [body]
  const fresh = new Set<string>()
  const found: Change[] = []
  for (const statement of statements) {
    for (const path of begunBy(statement)) fresh.add(path)
    for (const one of nodesIn(statement).flatMap(changed))
      if (!own.has(one.name) && !fresh.has(one.name) && !fresh.has(one.path)) found.push(one)
  }
  return found
}

/** Variables to which a statement of the work itself gives a new value, in each run of it. */
function begunBy(statement: SyntaxNode): string[] {
  const expression =
    statement.type === 'ExpressionStatement' ? (statement.expression as SyntaxNode) : statement
  if (expression.type === 'CallExpression') {
    const { callee } = expression as unknown as { callee: SyntaxNode }
    const isCleared = callee.type === 'MemberExpression' && nameOf(callee.property) === 'clear'
    return isCleared ? [pathOf(callee.object as SyntaxNode)] : []
  }
  if (expression.type !== 'AssignmentExpression' || expression.operator !== '=') return []
  return targetsOf(expression.left)
    .filter(({ computed }) => computed !== true)
    .map(target => pathOf(target).replace(/\.length$/u, ''))
}

function changed(node: SyntaxNode): Change[] {
  const at = (targets: SyntaxNode[]): Change[] =>
    targets.flatMap(target => {
      const name = rootOf(target)
      return name === undefined ? [] : { line: node.loc?.start.line ?? 0, name, path: pathOf(target) }
    })
  if (node.type === 'AssignmentExpression') return at(targetsOf(node.left))
  if (node.type === 'UpdateExpression') return at(targetsOf(node.argument))
  if (node.type === 'UnaryExpression' && node.operator === 'delete') return at(targetsOf(node.argument))
  if (node.type !== 'CallExpression') return []
  const { callee } = node as unknown as { callee: SyntaxNode }
  const isChange = callee.type === 'MemberExpression' && changing.has(nameOf(callee.property) ?? '')
  return isChange ? at(targetsOf(callee.object)) : []
}

/** The variables and members to which an assignment gives values. */
function targetsOf(value: unknown): SyntaxNode[] {
  const node = value as SyntaxNode
  if (node.type !== 'ArrayPattern' && node.type !== 'ObjectPattern') return [node]
  return childrenOf(node).flatMap(child => targetsOf(child.type === 'ObjectProperty' ? child.value : child))
}

/** `a.b` in `a.b` and in `a.b[c]`. */
function pathOf(node: SyntaxNode): string {
  if (node.type !== 'MemberExpression') return rootOf(node) ?? ''
  const before = pathOf(node.object as SyntaxNode)
  return node.computed === true ? before : `${before}.${nameOf(node.property)}`
}

/** The variable at the beginning of `a.b[c]`; undefined for a value that was made in place. */
function rootOf(node: SyntaxNode): string | undefined {
  if (node.type === 'ThisExpression') return 'this'
  if (node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression')
    return rootOf(node.object as SyntaxNode)
  if (node.type === 'TSNonNullExpression' || node.type === 'TSAsExpression')
    return rootOf(node.expression as SyntaxNode)
  return nameOf(node)
}

function nameOf(value: unknown): string | undefined {
  const node = value as SyntaxNode
  return node.type === 'Identifier' ? String(node.name) : undefined
}

function isFunction({ type }: SyntaxNode): boolean {
  return type === 'ArrowFunctionExpression' || type === 'FunctionExpression'
}

/** Names of parameters and variables within a function. */
function namesBoundIn(work: SyntaxNode): Set<string> {
  const patterns = nodesIn(work).flatMap(node => {
    if (node.type === 'VariableDeclarator') return [node.id as SyntaxNode]
    if (node.type === 'CatchClause') return node.param ? [node.param as SyntaxNode] : []
    return isFunction(node) || node.type === 'FunctionDeclaration' ? (node.params as SyntaxNode[]) : []
  })
  return new Set(patterns.flatMap(boundBy))
}

function boundBy(pattern: SyntaxNode): string[] {
  const name = nameOf(pattern)
  if (name !== undefined) return [name]
  if (pattern.type === 'AssignmentPattern') return boundBy(pattern.left as SyntaxNode)
  if (pattern.type === 'RestElement') return boundBy(pattern.argument as SyntaxNode)
  return childrenOf(pattern).flatMap(child =>
    child.type === 'ObjectProperty' ? boundBy(child.value as SyntaxNode) : boundBy(child),
  )
}
