import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { label, unscannedLine } from '../../../lib/text/one-line.js'

type Context = Reply<'GET /api/code/context'>
type Definition = Context['definitions'][number]
type Blast = Reply<'GET /api/code/blast'>
type Symbol = Definition['symbol']

const maxLine = 200

/** Formats found symbols, best match first, in two lines each. */
export function searchText({ results, query }: Reply<'GET /api/code/search'>): string {
  if (results.length === 0) return `No symbol in the project matches ${JSON.stringify(query)}.`
  return results
    .map(found => {
      const why = found.why ? `\n   (${found.score}: ${JSON.stringify(found.why)})` : ''
      return `- ${symbolLine(found)}${why}`
    })
    .join('\n')
}

/** Formats definitions with their users and dependencies; uncertain edges have a prefix. */
export function contextText({ symbol, total, definitions }: Context): string {
  const more = total > definitions.length ? `, showing the first ${definitions.length}` : ''
  const head = total > 1 ? [`${total} definitions of ${label(symbol)}${more}.`] : []
  return [...head, ...definitions.map(definitionText)].join('\n\n')
}

function definitionText({ symbol, members, callers, callees, importedBy, omitted }: Definition): string {
  const edges = (list: Definition['callers']) =>
    list.map(one => `- ${doubt(one.certainty)}${one.relation} ${named(one.symbol)} at ${placeOf(one.at)}`)
  return [
    symbolLine(symbol),
    ...section(
      'Members',
      members.map(one => `- ${symbolLine(one)}`),
      omitted.members,
    ),
    ...section('Used by', edges(callers), omitted.callers),
    ...section('Uses', edges(callees), omitted.callees),
    ...section('Imported by', importedBy.map(placeOf), omitted.importedBy),
  ].join('\n')
}

function section(title: string, lines: readonly string[], omitted: number): string[] {
  if (lines.length === 0) return []
  return [
    `${title} (${lines.length + omitted}):`,
    ...lines,
    ...(omitted > 0 ? [`- and ${omitted} more`] : []),
  ]
}

/** Formats the impact of a change as an indented tree. */
export function blastText({ roots, nodes, counts, files, truncated, direction }: Blast): string {
  const head = roots.map(root => symbolLine(root))
  if (nodes.length === 0) return [...head, 'No known symbol is affected.'].join('\n')
  const lines = nodes.map(node => {
    const arrow = direction === 'both' ? (node.direction === 'backward' ? '<- ' : '-> ') : ''
    const again = node.again ? ' (shown above)' : ''
    const { depth, way, relation, symbol, at } = node
    return `${'  '.repeat(depth)}${arrow}${doubt(way)}${named(symbol)} (${relation} at ${placeOf(at)})${again}`
  })
  const sums = `${counts.certain} certain, ${counts.likely} likely, ${counts.ambiguous} ambiguous, in ${countOf(files.length, 'file')}`
  return [...head, ...lines, `${sums}${truncated ? '; more exist' : ''}`].join('\n')
}

/** Formats the index status of a project. */
export function statusText(status: Reply<'GET /api/code/status'>): string {
  const { project, indexed, indexedAt, files, symbols, edges, job, languages } = status
  const running = job && (job.state === 'running' || job.state === 'waiting')
  return [
    indexed
      ? `${project}: ${countOf(files, 'file')}, ${countOf(symbols, 'symbol')}, ${countOf(edges, 'edge')}, indexed ${indexedAt}`
      : `${project} is not indexed.`,
    ...(running ? [`Indexing (${job.phase ?? job.state}): ${job.done} of ${job.total} files.`] : []),
    ...languages.map(
      ({ language, parser, files: count }) => `- ${language}: ${count} files, parser ${parser}`,
    ),
  ].join('\n')
}

/** Formats unreadable files, and files changed since indexing. */
export function doctorText(found: Reply<'GET /api/code/doctor'>): string {
  const { ok, problems, failed, failedTotal, stale, staleTotal, skipped, languages } = found
  return [
    ok ? 'The index is healthy.' : 'The index is incomplete:',
    ...problems.map(problem => `- ${problem}`),
    ...failed.map(({ path, reason }) => `- failed: ${label(path, maxLine)} (${reason})`),
    ...(failedTotal > failed.length ? [`- and ${failedTotal - failed.length} more failed`] : []),
    ...stale.map(({ path, change }) => `- ${change} since indexing: ${label(path, maxLine)}`),
    ...(staleTotal > stale.length ? [`- and ${staleTotal - stale.length} more changed`] : []),
    ...skipped.map(({ reason, files }) => `- skipped, ${reason}: ${files}`),
    ...languages.map(({ language, parser, files }) => `- ${language}: ${files} files, parser ${parser}`),
  ].join('\n')
}

/** Formats constants with their values. */
export function constantsText({ constants, total }: Reply<'GET /api/code/constants'>): string {
  if (total === 0) return 'No named constants.'
  const more = total > constants.length ? [`and ${total - constants.length} more`] : []
  return [
    ...constants.map(one => `- ${label(one.name)} = ${unscannedLine(one.value, maxLine)} (${placeOf(one)})`),
    ...more,
  ].join('\n')
}

function symbolLine(symbol: Symbol): string {
  const doc = symbol.doc ? `: ${unscannedLine(symbol.doc, maxLine)}` : ''
  const signature = symbol.signature ? ` \`${unscannedLine(symbol.signature, maxLine)}\`` : ''
  return `${symbol.kind} ${named(symbol)} (${placeOf(symbol)}-${symbol.endLine})${signature}${doc}`
}

function named({ qualified }: Symbol): string {
  return label(qualified, maxLine)
}

function placeOf({ path, line }: { path: string; line: number }): string {
  return `${label(path, maxLine)}:${line}`
}

function doubt(certainty: Definition['callers'][number]['certainty']): string {
  return certainty === 'certain' ? '' : `${certainty}: `
}
