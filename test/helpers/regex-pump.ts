import { type Constants, constantsIn, textOf } from './regex-text.js'
import type { SourceFile } from './source-tree.js'
import { nodesIn, type SyntaxNode, syntaxOf } from './syntax-tree.js'

/** A regular expression of the sources. */
export interface Expression {
  path: string
  /** The file, and the expression as written. */
  name: string
  regex: RegExp
}

/** Lists the expressions of files: literals, and `new RegExp` with the constants that it is made of. */
export function expressionsIn(sources: readonly SourceFile[]): Expression[] {
  const programs = sources.map(source => ({ path: source.path, program: syntaxOf(source) }))
  const shared = constantsIn(programs.map(({ program }) => program))
  return programs.flatMap(({ path, program }) => {
    const constants = new Map([...shared, ...constantsIn([program])])
    return nodesIn(program).flatMap(node => {
      const [pattern, flags = ''] = partsOf(node, constants)
      if (pattern === undefined) return []
      return [{ path, name: `${path}: /${pattern}/${flags}`, regex: new RegExp(pattern, flags) }]
    })
  })
}

function partsOf(node: SyntaxNode, constants: Constants): string[] {
  if (node.type === 'RegExpLiteral') return [node.pattern as string, node.flags as string]
  if (node.type !== 'NewExpression' || (node.callee as { name?: string }).name !== 'RegExp') return []
  const [pattern, flags] = node.arguments as SyntaxNode[]
  if (!pattern) return []
  return [textOf(pattern, constants), flags?.type === 'StringLiteral' ? (flags.value as string) : '']
}

const repeated =
  ' |\n|\r\n|\t|a|A|0|a.|a-|a_|a/|a |a,|a=|a:|aB|a1|.|..|-|_|/|//|\\|"|\'|`|``|<|<a|</|>|(|((|)|[|[[|]|{|{{|}|!|?|,|:|::|;|*|**|a*|#|##|@|a@|=|+|&|%|$|~|^|é|\u2500|\u200b|\u{1f600}| \n|\n\n|\n |- |> |x\n|. |"a"|a\n'
const pumps = repeated.split('|').concat('|', 'a|', '| ')

/** Shorter texts are tried first, so that an exponential expression ends early. */
const lengths = [24, 300, 3000, 25_000, 100_000]
/** From this length on, times are exact enough to foresee whether the longest text can take too long. */
const foreseeingLength = 3000
const longest = 100_000
/** A linear time grows by four from the last length but one to the longest, and a squared one by sixteen. */
const steepest = 7
export const maxMs = 50
const attempts = 5

/**
 * Returns the shape of the first text for which an expression takes too long; undefined if it is fast. A
 * shape is the beginning of a match, a repeated part, and an end that matches nothing.
 */
export function slowShape({ regex }: Expression): string | undefined {
  for (const [head, part] of shapesOf(regex.source)) {
    let shorterMs = 0
    for (const length of lengths) {
      const ms = timeOf(regex, `${head}${part.repeat(length / part.length)}\u0001`)
      // A busy machine may take several times as long, but then the time grows with the length only.
      const isLinear = length === longest && ms < steepest * shorterMs && ms < 5 * maxMs
      if (ms > maxMs && !isLinear)
        return `${JSON.stringify(head)} + ${JSON.stringify(part)} to ${length}: ${Math.round(ms)} ms`
      if (length >= foreseeingLength && ms * (longest / length) ** 2 < maxMs) break
      shorterMs = ms
    }
  }
  return undefined
}

/** Signs that open something. They are short, so the longest words would hide them. */
const openers = ['[', '<', '&', '(', '{', '"']

/** Some 300 shapes: common parts, and the words of the expression itself, each at the start and repeated. */
function shapesOf(source: string): [head: string, part: string][] {
  const words = wordsOf(source)
  const heads = openers.filter(sign => source.includes(sign) && !words.slice(0, 4).includes(sign))
  return [
    ...[...pumps, ...words].map((part): [string, string] => ['', part]),
    ...words.slice(0, 4).flatMap(head => pumps.slice(0, 30).map((part): [string, string] => [head, part])),
    ...heads.flatMap(head => pumps.map((part): [string, string] => [head, part])),
    ...words
      .slice(0, 6)
      .flatMap(word => [' ', '\n', 'a', '"'].map((gap): [string, string] => ['', word + gap])),
  ]
}

/** The literal parts of an expression, such as `[remote "origin"]`. */
function wordsOf(source: string): string[] {
  const plain = source
    .replace(/\\[ux]\{?[0-9a-f]{2,6}\}?/giu, '|')
    .replace(/\\[bBdDsSwWpPk](?:\{[^}]*\}|<[^>]*>)?/gu, '|')
    .replace(/\(\?<?[:=!]|\(\?<\w+>/gu, '|')
    .replace(/(?<!\\)\[(?:\\.|[^\]\\])*\]/gu, '|')
    .replace(/\\n/gu, '\n')
    .replace(/\{\d+,?\d*\}|(?<!\\)[()*+?|^$.]/gu, '|')
    .replace(/\\(.)/gu, '$1')
  return [...new Set(plain.split('|').filter(Boolean))].sort((a, b) => b.length - a.length).slice(0, 12)
}

/** The least processor time of several attempts, because a collection of garbage may fall into one. */
function timeOf(regex: RegExp, text: string): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts && least > maxMs; attempt++) {
    regex.lastIndex = 0
    const before = process.cpuUsage()
    text.replace(regex, '')
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
    if (least > 10 * maxMs) break
  }
  return least
}
