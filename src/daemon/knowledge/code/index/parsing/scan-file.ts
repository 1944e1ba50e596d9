import { clip } from '../../../../../lib/text/clip.js'
import type { ScannedLanguage } from '../languages/scanned.js'
import type { ParsedFile, ParsedSymbol } from './parsed-file.js'

/** Scans a file of a language without a grammar: finds definitions line by line, and no edges. */
export function scanFile({ patterns }: ScannedLanguage, text: string): ParsedFile {
  const lines = text.split('\n')
  const made = patterns.map(([kind, pattern]) => [kind, pattern()] as const)
  const symbols: ParsedSymbol[] = []
  for (const [at, line] of lines.entries()) {
    if (line.length > 1000) continue
    for (const [kind, pattern] of made) {
      const name = pattern.exec(line)?.[1]
      if (!name) continue
      symbols.push({
        kind,
        name,
        qualified_name: name,
        parent: null,
        signature: clip(line.trim().replace(/\s*\{$/u, ''), 300),
        doc: null,
        value: null,
        exported: !/\b(?:private|local)\b/u.test(line),
        start_line: at + 1,
        end_line: at + 1,
      })
      break
    }
  }
  return { lines: lines.length, hasErrors: false, symbols, imports: [], edges: [] }
}
