import type { Reply } from '../../../contract/api.js'
import type { CodeCertainty } from '../../../contract/knowledge/code-words.js'
import { countOf, formatBytes } from '../../../lib/text/count-of.js'
import { formatAge } from '../../../lib/time/age.js'
import { type Colors, formatFields, formatTable } from '../../terminal/output.js'
import { pollUntil } from '../../terminal/poll-until.js'
import { startProgressBar } from '../../terminal/progress.js'
import { plainLine } from '../../terminal/text.js'
import { createRate } from '../sources/follow-source.js'

type SearchReply = Reply<'GET /api/code/search'>
type Definition = Reply<'GET /api/code/context'>['definitions'][number]
type ConstantsReply = Reply<'GET /api/code/constants'>
type DoctorReply = Reply<'GET /api/code/doctor'>

/** `tabs` gives tab-separated fields for pipes. */
interface ListView {
  colors: Colors
  tabs: boolean
}

type Blast = Reply<'GET /api/code/blast'>
type Node = Blast['nodes'][number]

const headings = { backward: 'used by', forward: 'uses' } as const

export type CodeStatus = Reply<'GET /api/code/status'>
type CodeJob = NonNullable<CodeStatus['job']>

/** Formats the impact of a change as a tree. A node that occurs again is listed without its subtree. */
export function blastTree(blast: Blast, colors: Colors): string {
  const { roots, nodes, counts, files, truncated, depth } = blast
  const children = byParent(nodes)
  const ways = blast.direction === 'both' ? (['backward', 'forward'] as const) : [blast.direction]
  const trees = roots.flatMap((root, number) => [
    `${colors.bold(plainLine(root.qualified))}  ${colors.dim(`${root.kind}, ${placeText(root)}`)}`,
    ...ways.flatMap(way => {
      const lines = branches(children.get(`${way} of ${number}`) ?? [], children, '', colors)
      const title = ways.length > 1 ? [colors.dim(headings[way])] : []
      return lines.length > 0 ? [...title, ...lines] : [colors.dim(`${headings[way]}: none found`)]
    }),
  ])
  const sums = `${counts.certain} certain, ${counts.likely} likely, ${counts.ambiguous} ambiguous`
  const end = truncated ? `; limited to ${countOf(depth, 'step')}, more may exist` : ''
  return [...trees, '', `${sums}, in ${countOf(files.length, 'file')}${end}`].join('\n')
}

/** Groups nodes by their parent: another node, or a root with its direction. */
function byParent(nodes: readonly Node[]): Map<unknown, Node[]> {
  const children = new Map<unknown, Node[]>()
  for (const node of nodes) {
    const key = node.parent ?? `${node.direction} of ${node.root}`
    children.set(key, [...(children.get(key) ?? []), node])
  }
  return children
}

function branches(
  nodes: readonly Node[],
  children: ReadonlyMap<unknown, Node[]>,
  indent: string,
  colors: Colors,
): string[] {
  return nodes.flatMap((node, position) => {
    const isLast = position === nodes.length - 1
    const again = node.again ? colors.dim(' (shown above)') : ''
    const place = colors.dim(`${node.relation} at ${placeText(node.at)}`)
    const line = `${doubtText(node.way, colors)}${plainLine(node.symbol.qualified)}  ${place}${again}`
    const below = branches(
      children.get(node.id) ?? [],
      children,
      `${indent}${isLast ? '   ' : '│  '}`,
      colors,
    )
    return [`${indent}${isLast ? '└─ ' : '├─ '}${line}`, ...below]
  })
}

/** Formats the symbols of a search, best match first. */
export function searchText({ results }: SearchReply, { colors, tabs }: ListView): string {
  if (tabs)
    return results
      .map(one => [one.kind, one.qualified, one.path, one.line, one.signature ?? ''].map(field).join('\t'))
      .join('\n')
  return results
    .flatMap(one => {
      const { why } = one
      const parts = why && `${why.match}, name ${why.name}, words ${why.words}, centrality ${why.centrality}`
      return [
        `${colors.bold(plainLine(one.qualified))}  ${colors.dim(`${one.kind}, ${placeText(one)}`)}`,
        ...[one.signature, one.doc].flatMap(text => (text ? [`  ${plainLine(text)}`] : [])),
        ...(parts ? [colors.dim(`  score ${one.score}: ${parts}`)] : []),
      ]
    })
    .join('\n')
}

/** Formats each definition with its users and its dependencies. */
export function contextText(context: Reply<'GET /api/code/context'>, colors: Colors): string {
  const { definitions, total, symbol } = context
  const shown = definitions.length < total ? `, showing the first ${definitions.length}` : ''
  const head = total > 1 ? [`${total} definitions of ${plainLine(symbol)}${shown}`] : []
  return [...head, ...definitions.map(one => definitionText(one, colors))].join('\n\n')
}

function definitionText(definition: Definition, colors: Colors): string {
  const { symbol, members, callers, callees, importedBy, omitted } = definition
  const edges = (list: Definition['callers']) =>
    list.map(
      one =>
        `${doubtText(one.certainty, colors)}${plainLine(one.symbol.qualified)}  ${colors.dim(`${one.relation} at ${placeText(one.at)}`)}`,
    )
  const section = (title: string, lines: readonly string[], more: number): string[] =>
    lines.length === 0
      ? []
      : [
          `${title} (${lines.length + more})`,
          ...lines.map(line => `  ${line}`),
          ...(more > 0 ? [`  and ${more} more`] : []),
        ]
  return [
    `${colors.bold(plainLine(symbol.qualified))}  ${colors.dim(`${symbol.kind}, ${placeText(symbol)} to ${symbol.endLine}`)}`,
    ...[symbol.signature, symbol.doc].flatMap(text => (text ? [`  ${plainLine(text)}`] : [])),
    ...section(
      'Members',
      members.map(one => `${plainLine(one.qualified)}  ${colors.dim(`${one.kind}, line ${one.line}`)}`),
      omitted.members,
    ),
    ...section('Used by', edges(callers), omitted.callers),
    ...section('Uses', edges(callees), omitted.callees),
    ...section('Imported by', importedBy.map(placeText), omitted.importedBy),
  ].join('\n')
}

/** Formats the index status of a project as lines of name and value. */
export function statusText(status: CodeStatus, { colors, now }: { colors: Colors; now: number }): string {
  const { project, indexed, indexedAt, files, failed, skipped, symbols, edges, ambiguousEdges } = status
  const { bytes, languages, watching, job } = status
  const known: [string, string][] = indexed
    ? [
        ['indexed', indexedAt === null ? 'incomplete' : `${indexedAt} (${formatAge(indexedAt, now)})`],
        ['files', `${files}, ${failed} failed, ${skipped} skipped`],
        ['symbols', String(symbols)],
        ['edges', `${edges}, ${ambiguousEdges} ambiguous`],
        ['languages', languages.map(one => `${one.language} ${one.files} (${one.parser})`).join(', ')],
        ['size', formatBytes(bytes)],
        ['watched', watching ? 'yes, a session is active there' : 'no, no session is active there'],
      ]
    : [['indexed', 'not yet. Next: memory code index']]
  return formatFields(
    [['project', plainLine(project)], ...known, ...(job ? [['job', jobText(job)] as const] : [])],
    colors,
  )
}

function jobText(job: NonNullable<CodeStatus['job']>): string {
  const fault = job.error === null ? '' : `: ${plainLine(job.error)}`
  return `${job.state}${fault} (${progressText(job)})`
}

/** Describes the result of indexing. */
export function indexedText(status: CodeStatus, colors: Colors): string {
  const { job, files, symbols, edges, failed } = status
  if (job && job.state !== 'done') return `${colors.red(job.state)}  ${plainLine(job.error ?? '')}`.trimEnd()
  const faults = failed > 0 ? `; ${failed} failed (memory code doctor)` : ''
  const counts = [countOf(files, 'file'), countOf(symbols, 'symbol'), countOf(edges, 'edge')].join(', ')
  return `${colors.green('Indexed')}  ${counts}${job?.result ? `; ${job.result.read} read in this run` : ''}${faults}`
}

/** Formats the faults of an index and the reader of each language. */
export function doctorText(found: DoctorReply, colors: Colors): string {
  const { ok, problems, failed, failedTotal, stale, staleTotal, skipped, languages } = found
  const table = (title: string, total: number, headings: string[], rows: string[][]): string[] =>
    rows.length === 0
      ? []
      : [
          `${title} (${total}${rows.length < total ? `, showing the first ${rows.length}` : ''})\n${formatTable(headings, rows, colors)}`,
        ]
  return [
    ok ? colors.green('The index is healthy') : colors.red('The index is incomplete'),
    ...problems.map(plainLine),
    ...table(
      'Failed',
      failedTotal,
      ['FILE', 'REASON'],
      failed.map(one => [one.path, one.reason].map(plainLine)),
    ),
    ...table(
      'Changed since indexing',
      staleTotal,
      ['FILE', 'CHANGE'],
      stale.map(one => [plainLine(one.path), one.change]),
    ),
    ...table(
      'Skipped',
      skipped.reduce((sum, { files }) => sum + files, 0),
      ['REASON', 'FILES'],
      skipped.map(one => [one.reason, String(one.files)]),
    ),
    ...table(
      'Indexed',
      languages.reduce((sum, { files }) => sum + files, 0),
      ['LANGUAGE', 'PARSER', 'FILES'],
      languages.map(one => [one.language, one.parser, String(one.files)]),
    ),
  ].join('\n\n')
}

/** Formats constants with their values. */
export function constantsText({ constants, total }: ConstantsReply, { colors, tabs }: ListView): string {
  const rows = constants.map(one => [one.name, one.value, one.path, String(one.line)].map(field))
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  const lines = rows.map(
    ([name = '', value = '', path = '', line = '']) =>
      `${colors.bold(name)} = ${value}  ${colors.dim(`${path}:${line}`)}`,
  )
  return [...lines, ...(total > rows.length ? [`and ${total - rows.length} more`] : [])].join('\n')
}

/** Describes the effect of clearing an index. */
export function clearLines({ project, indexed, files, symbols, bytes }: CodeStatus): string[] {
  if (!indexed) return [`${plainLine(project)} has no index`]
  return [
    `Deletes the index of ${plainLine(project)}: ${countOf(files, 'file')}, ${countOf(symbols, 'symbol')}, ${formatBytes(bytes)}`,
    'It is not backed up; memory code index rebuilds it',
  ]
}

function placeText({ path, line }: { path: string; line: number }): string {
  return `${plainLine(path)}:${line}`
}

/** Returns the prefix of an uncertain edge. */
function doubtText(certainty: CodeCertainty, colors: Colors): string {
  if (certainty === 'certain') return ''
  return certainty === 'likely' ? `${colors.dim('likely')} ` : `${colors.yellow('ambiguous')} `
}

function field(value: string | number): string {
  return plainLine(String(value))
}

/** Waits until a project is indexed, and shows the progress: files, changed files and speed. */
export async function followIndex(look: () => Promise<CodeStatus>, jobId: string): Promise<CodeStatus> {
  const bar = startProgressBar()
  const rate = createRate()
  try {
    return await pollUntil(look, ({ job }) => {
      if (!job || job.id !== jobId || (job.state !== 'waiting' && job.state !== 'running')) return true
      bar.update(progressText(job, job.phase === 'parsing' ? rate(job.done) : undefined), fractionOf(job))
      return false
    })
  } finally {
    bar.stop()
  }
}

/** @param perSecond undefined until it is known. */
function progressText({ state, phase, done, total, result }: CodeJob, perSecond?: number): string {
  if (result) {
    const { read, unchanged, failed, removed } = result
    const faults = failed > 0 ? `, ${failed} failed` : ''
    const gone = removed > 0 ? `, ${removed} deleted` : ''
    return `${countOf(read, 'file')} read, ${unchanged} unchanged${gone}${faults}`
  }
  if (state === 'waiting') return 'queued'
  if (phase === 'resolving') return `resolving names, ${done} of ${countOf(total, 'file')}`
  if (phase !== 'parsing') return `scanning, ${countOf(done, 'file')}`
  const speed = perSecond === undefined ? '' : `, ${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`
  return `${done} of ${countOf(total, 'file')} read${speed}`
}

function fractionOf({ phase, done, total }: CodeJob): number | undefined {
  return phase === 'listing' || total === 0 ? undefined : done / total
}
