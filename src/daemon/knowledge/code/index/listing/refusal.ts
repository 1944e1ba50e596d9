import type { FileReason } from '../../../../../store/tables/knowledge/code-rows.js'

/** Why a file is skipped, with a message if the reason needs one. */
export interface Refusal {
  reason: FileReason
  message?: string
}

export const maxFileBytes = 1024 * 1024

const vendored = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  'vendor',
  'third_party',
  'third-party',
  '3rdparty',
  'site-packages',
  '.venv',
  'venv',
  '.tox',
  '.nox',
  '.eggs',
  '__pycache__',
  'Pods',
  'Carthage',
  '.gradle',
  '.yarn',
  '.pnpm-store',
  'DerivedData',
])
/** Folders of version control and of this program. */
const ignoredFolders = new Set(['.git', '.hg', '.svn', '.jj', '.memory-service'])

export function isIgnoredFolder(folder: string): boolean {
  return ignoredFolders.has(folder)
}

export function isVendored(folder: string): boolean {
  return vendored.has(folder)
}

const generatedName =
  /(?:\.pb\.(?:go|cc|h)|_pb2(?:_grpc)?\.pyi?|\.g\.(?:cs|dart)|\.designer\.cs|\.generated\.\w+|\.gen\.\w+|_generated\.\w+)$/iu
const minifiedName = /[.-]min\.(?:js|cjs|mjs)$/iu

export function refusedByName(path: string): Refusal | undefined {
  if (minifiedName.test(path)) return { reason: 'minified' }
  return generatedName.test(path) ? { reason: 'generated', message: 'its name says so' } : undefined
}

/** Typical marks of generators at the top of their output. */
const generatedMark =
  /@generated\b|<auto-?generated|\bcode generated (?:by|from)\b.{0,200}\bdo not (?:edit|modify)|\b(?:this file|this code) (?:is|was|has been) (?:auto(?:matically)?[- ]?)?generated|\bdo not edit[^\n]{0,200}generated|\bauto(?:matically)?[- ]?generated (?:by|from|file)\b/iu
const headLength = 1500
const longestLine = 20_000
/** Longest average line of code written by people. */
const longestMean = 300
const meanFrom = 4096

/**
 * Checks the content of a file.
 * @param text the file's text
 */
export function refusedByText(text: string): Refusal | undefined {
  if (generatedMark.test(commentsOf(text.slice(0, headLength))))
    return { reason: 'generated', message: 'its first lines say so' }
  let lines = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length : end
    if (next - at > longestLine)
      return { reason: 'minified', message: `it has a line of ${next - at} characters` }
    lines++
    at = next + 1
  }
  const isDense = text.length > meanFrom && text.length / Math.max(1, lines) > longestMean
  return isDense
    ? { reason: 'minified', message: `its ${lines} lines contain ${text.length} characters` }
    : undefined
}

/** Only comments count, because a generator contains such marks in its code. */
function commentsOf(head: string): string {
  return head
    .split('\n')
    .filter(line => /^\s*(?:\/\/|\/\*|\*|#|--|;|<!--|"""|''')/u.test(line))
    .join('\n')
}
