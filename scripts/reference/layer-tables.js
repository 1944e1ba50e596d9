import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const begin = '<!-- layers: generated from test/architecture/layers.json by npm run build -->'
const end = '<!-- end of layers -->'

/**
 * Fills the tables of folders and floors in docs/architecture.md from the data that the layers test checks.
 * @param {string} root of the package. @returns {Promise<string>} Markdown.
 */
export async function architecturePage(root) {
  const page = await readFile(join(root, 'docs/architecture.md'), 'utf8')
  const layers = JSON.parse(await readFile(join(root, 'test/architecture/layers.json'), 'utf8'))
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`docs/architecture.md has no block between ${begin} and ${end}`)
  return [before, begin, '\n\n', folderTable(layers), '\n\n', floorTable(layers), '\n\n', end, after].join('')
}

function folderTable({ folders }) {
  const rows = Object.entries(folders).map(([name, { purpose, entry, mayImport }]) => [
    `\`src/${name}\``,
    purpose,
    mayImport.join(', ') || '-',
    `\`${entry}\``,
  ])
  return table(['Folder', 'Purpose', 'May import', 'Read first'], rows)
}

function floorTable({ floors }) {
  const rows = floors.toReversed().map(({ name, purpose, entry }) => [name, purpose, `\`${entry}\``])
  return table(['Floor of `src/daemon`', 'Purpose', 'Read first'], rows)
}

function table(headings, rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n')
}
