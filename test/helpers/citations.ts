/** The gap between two words: blanks, or a line break with the comment mark of the next line. */
const gap = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:\*(?!\/)|\/\/)?[ \t]*)`
const number = String.raw`\d+(?:\.\d+)*`
const list = `${number}(?:(?:,${gap}(?:and${gap})?|${gap}and${gap}|${gap}to${gap})${number})*`
const citation = new RegExp(
  String.raw`(?<![\w./-])(?:docs/)?([a-z][a-z-]*\.md)(?:#([\w-]+)|${gap}(${list}))`,
  'gu',
)

/** Ways to cite the texts behind the docs, which are not in the repository. */
const strayForms = [
  String.raw`\bspec(?:ification)?s?,?${gap}(?:part${gap})?[1-3]\b`,
  String.raw`\b(?:the|this)${gap}spec(?:ification)?\b`,
  String.raw`\bparts?${gap}[1-3],?${gap}(?:of${gap}the${gap}spec|${number})`,
  String.raw`[(;]\s*contract(?:[);]|[,:]${gap}[a-z\d])`,
].map(form => new RegExp(form, 'giu'))

/**
 * Citable places of a page: `4.10` for a number that begins a heading or a row of a test table,
 * `#kill-switch` for a heading.
 */
export function placesIn(markdown: string): Set<string> {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gmu)].map(([, title = '']) => title)
  return new Set([
    ...headings.map(title => `#${slugOf(title)}`),
    ...headings.flatMap(title => numbersAtStart(title)),
    ...rowsWithTests(markdown).flatMap(row => numbersAtStart(row.split('|')[1]?.trim() ?? '')),
  ])
}

/** Citations in a text whose page or place does not exist. @param pages places by page name */
export function unresolvedIn(text: string, pages: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return [...text.matchAll(citation)]
    .filter(([, page = '', anchor, numbers = '']) => {
      const places = anchor === undefined ? expand(numbers) : [`#${anchor}`]
      return places.some(place => !pages.get(page)?.has(place))
    })
    .map(([found]) => flat(found))
}

/** Citations of texts that are not in the repository. */
export function straysIn(text: string): string[] {
  return strayForms.flatMap(form => [...text.matchAll(form)].map(([found]) => flat(found)))
}

/** Makes an anchor from a heading like GitHub. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/gu, '-')
}

/** Rows of the tables whose last column names tests. */
function rowsWithTests(markdown: string): string[] {
  return markdown
    .split(/\n\n+/u)
    .filter(block => /^\|.*\| test \|$/mu.test(block.split('\n')[0] ?? ''))
    .flatMap(table => table.split('\n').slice(2))
}

function numbersAtStart(text: string): string[] {
  const [found] = new RegExp(`^${list}(?= |$)`, 'u').exec(text) ?? []
  return found === undefined ? [] : expand(found)
}

/** Expands `4.5 to 4.7 and 8` to 4.5, 4.6, 4.7 and 8. */
function expand(numbers: string): string[] {
  const [first = '', ...others] = flat(numbers).split(/(?=(?:,? and |, | to ))/u)
  const all = [first]
  for (const other of others) {
    const [, joint, next = ''] = /^(.*?)([\d.]+)$/u.exec(other) ?? []
    if (joint === ' to ') all.push(...between(all.at(-1) ?? '', next))
    all.push(next)
  }
  return all
}

function between(from: string, to: string): string[] {
  const head = to.replace(/\d+$/u, '')
  const [low, high] = [from, to].map(one => Number(one.split('.').at(-1))) as [number, number]
  return Array.from({ length: Math.max(0, high - low - 1) }, (_, step) => `${head}${low + 1 + step}`)
}

function flat(text: string): string {
  return text.replace(/\s*\n\s*(?:\*|\/\/)?\s*/gu, ' ').trim()
}
