/** Lines of a Markdown table: first column left-aligned, numbers right-aligned. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|---|${'--:|'.repeat(head.length - 1)}`, ...rows.map(line)]
}

/** @returns a share as percent with one decimal */
export function percent(share: number): string {
  return (100 * share).toFixed(1)
}
