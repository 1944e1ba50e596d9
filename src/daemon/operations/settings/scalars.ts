import { type Document, isPair, isScalar, isSeq, parseDocument, type Scalar, visit } from 'yaml'
import { isSecret, mask, maskedText } from './secret-values.js'

/** A value or key of a YAML text: its position and its masked form. */
export interface YamlScalar {
  /** Keys and indexes that lead to it. */
  path: readonly string[]
  start: number
  end: number
  source: string
  shown: string
  hasAnchor: boolean
}

/** Lists every value and key of a text in order; undefined for invalid YAML. */
export function scalarsOf(text: string): YamlScalar[] | undefined {
  const document = parseDocument(text)
  if (document.errors.length > 0) return undefined
  const aliased = aliasedSecrets(document)
  const found: YamlScalar[] = []
  visit(document, {
    Scalar: (position, node, ancestors) => {
      const [start, end] = node.range ?? [0, 0]
      const path = pathOf(ancestors, node, position)
      const source = text.slice(start, end).trimEnd()
      const isWhole = aliased.has(node) || (position !== 'key' && isSecret(nameOf(path), node.value))
      found.push({
        path,
        start,
        end: start + source.length,
        source,
        shown: isWhole ? mask : shownOf(node, source),
        hasAnchor: node.anchor !== undefined,
      })
    },
  })
  return found
}

function shownOf(node: Scalar, source: string): string {
  const shown = maskedText(source)
  // Escape sequences in the text may hide a credential in the value.
  const isHiding = shown === source && typeof node.value === 'string' && maskedText(node.value) !== node.value
  return isHiding ? mask : shown
}

/** Values that an alias places under a key that names a secret. */
function aliasedSecrets(document: Document): ReadonlySet<unknown> {
  const found = new Set<unknown>()
  visit(document, {
    Alias: (_position, alias, ancestors) => {
      const target = alias.resolve(document)
      if (isScalar(target) && isSecret(nameOf(pathOf(ancestors, alias, null)), target.value))
        found.add(target)
    },
  })
  return found
}

function pathOf(ancestors: readonly unknown[], node: unknown, position: unknown): string[] {
  const path = ancestors.flatMap((one, index) => {
    if (isPair(one)) return [String(isScalar(one.key) ? one.key.value : one.key)]
    return isSeq(one) ? [String(one.items.indexOf(ancestors[index + 1] ?? node))] : []
  })
  return position === 'key' ? [...path, '?'] : path
}

/** The nearest key above a value, also inside a list. */
function nameOf(path: readonly string[]): string {
  return path.findLast(part => !/^\d+$/u.test(part)) ?? ''
}
