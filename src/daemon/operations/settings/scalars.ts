import { type Document, isPair, isScalar, isSeq, parseDocument, type Scalar, visit } from 'yaml'
import { isSecret, mask, maskedText } from './secret-values.js'

/** One value, or key, of a YAML text: where it stands, and how it is shown. */
export interface Place {
  /** Keys and indexes that lead to it. */
  path: readonly string[]
  start: number
  end: number
  source: string
  shown: string
  hasAnchor: boolean
}

/** Every value and key of a text, in its order; undefined when it is no YAML. */
export function scalarsOf(text: string): Place[] | undefined {
  const document = parseDocument(text)
  if (document.errors.length > 0) return undefined
  const aliased = aliasedSecrets(document)
  const found: Place[] = []
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
  // Escapes of the text may hide what the value has.
  const isHiding = shown === source && typeof node.value === 'string' && maskedText(node.value) !== node.value
  return isHiding ? mask : shown
}

/** Values that stand elsewhere and are named, by an alias, under a key that names a secret. */
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

/** The key that a value stands under, also in a list. */
function nameOf(path: readonly string[]): string {
  return path.findLast(part => !/^\d+$/u.test(part)) ?? ''
}
