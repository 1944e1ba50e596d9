import type { Node } from '@vscode/tree-sitter-wasm'
import { clip } from '../../../../../lib/text/clip.js'
import type { Language } from '../languages/language.js'
import type { FoundDefinition } from './found-nodes.js'
import type { ParsedSymbol } from './parsed-file.js'

const maxSignature = 300
const maxDoc = 300
const maxValue = 200

/** Nodes around a definition that belong to it. */
const wrappers = new Set([
  'export_statement',
  'lexical_declaration',
  'variable_declaration',
  'decorated_definition',
  'expression_statement',
  'const_declaration',
  'type_declaration',
  'template_declaration',
  'ambient_declaration',
  'field_declaration',
  'declaration',
  'var_declaration',
])

type SymbolText = Pick<ParsedSymbol, 'signature' | 'doc' | 'value' | 'start_line' | 'end_line'>

/** Extracts signature, documentation, value and lines of a symbol. */
export function describeSymbol(
  { node, value }: FoundDefinition,
  language: Language,
  text: string,
): SymbolText {
  let whole = node
  while (whole.parent && wrappers.has(whole.parent.type)) whole = whole.parent
  const start = whole.namedChildCount > 3 && whole !== node ? node : whole
  const doc = language.docInside?.(node) ?? docAbove(whole)
  return {
    signature: signatureOf(start, node, text),
    doc: doc ? firstSentence(doc) : null,
    value: value ? clip(oneLine(value.text), maxValue) : null,
    start_line: start.startPosition.row + 1,
    end_line: node.endPosition.row + 1,
  }
}

/** Ends at the body; without a body after the first line. */
function signatureOf(start: Node, node: Node, text: string): string {
  const inner = node.childForFieldName('value') ?? node.childForFieldName('right') ?? node
  const body = inner.childForFieldName('body') ?? node.childForFieldName('body')
  const end = body && body.startIndex > start.startIndex ? body.startIndex : node.endIndex
  const head = text.slice(start.startIndex, Math.min(end, start.startIndex + 2000))
  const lines = body ? head : (/^[^\n]*(?:\n[^\n{]*)?/u.exec(head)?.[0] ?? head)
  return clip(oneLine(lines).replace(/(?<!\s)\s*(?:=>|[{:=])$/u, ''), maxSignature)
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}

/** Returns the comments directly above. */
function docAbove(node: Node): string | undefined {
  const lines: string[] = []
  let below = node.startPosition.row
  for (let at = node.previousSibling; at; at = at.previousSibling) {
    if (/^(?:attribute_item|decorator|annotation|attribute_list)$/u.test(at.type))
      below = at.startPosition.row
    else if (!at.type.includes('comment') || endRow(at) < below - 1) break
    else {
      lines.unshift(at.text)
      below = at.startPosition.row
    }
  }
  return lines.length > 0 ? lines.join('\n') : undefined
}

/** Some grammars include the line break in a comment. */
function endRow({ endPosition: { row, column } }: Node): number {
  return column === 0 ? row - 1 : row
}

/** Returns the first sentence of a comment or docstring without its marks. */
function firstSentence(comment: string): string | null {
  const plain = comment
    .split('\n')
    .map(line =>
      line
        .replace(/^\s*(?:\/\*+!?|\*+\/|\*|\/\/[/!]?|#+!?)?\s?/u, '')
        .replace(/(?<!\*)\*+\/\s*$/u, '')
        .trim(),
    )
    .filter(line => !/^(?:@\w|<\/?\w+>$)/u.test(line))
    .map(line => line.replace(/<\/?summary>/gu, ''))
    .join('\n')
    .trim()
  const paragraph = plain.split(/\n\s*\n/u)[0] ?? ''
  const sentence = /^.*?[.!?](?=\s|$)/su.exec(paragraph)?.[0] ?? paragraph
  const line = clip(oneLine(sentence), maxDoc)
  return /[\p{L}\p{N}]/u.test(line) ? line : null
}
