import { parse } from '@babel/parser'
import type { SourceFile } from './source-tree.js'

/** A node of a syntax tree, with the fields that the guards use. */
export interface SyntaxNode {
  type: string
  loc?: { start: { line: number }; end: { line: number } }
  [field: string]: unknown
}

/** Parses a source file. */
export function syntaxOf({ path, text }: SourceFile): SyntaxNode {
  const plugins = ['typescript' as const, ...(path.endsWith('x') ? ['jsx' as const] : [])]
  return parse(text, { sourceType: 'module', plugins }).program as unknown as SyntaxNode
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node).flat().filter(isNode)
}

/** A node and everything inside it. */
export function nodesIn(node: SyntaxNode): SyntaxNode[] {
  return [node, ...childrenOf(node).flatMap(nodesIn)]
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof (value as { type?: unknown } | null)?.type === 'string'
}
