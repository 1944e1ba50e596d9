import { colorsFor, printNote } from '../terminal/output.js'

const shownLines = 20

/** Shows the end of another program's output, dimmed to separate it from our own messages. */
export function showOutput(output: unknown): void {
  if (typeof output !== 'string' || output.trim() === '') return
  const colors = colorsFor(process.stderr)
  const lines = output.trimEnd().split('\n')
  const cut = lines.length > shownLines ? ['…', ...lines.slice(-shownLines)] : lines
  printNote(cut.map(line => colors.dim(`  ${line}`)).join('\n'))
}
