import type { EvidenceQuote, SpanState } from '../../../../contract/knowledge/ontology-explain.js'
import type { SourceKind } from '../../../../contract/knowledge/ontology-operations.js'
import type { EvidenceSpanRow } from '../../../../store/tables/knowledge/evidence-spans.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { locateQuotes, type Reader } from '../evidence/source.js'
import { sourceReaderOf } from '../evidence/source-readers.js'

/** A span with its state today. */
export interface CheckedSpan extends EvidenceSpanRow {
  state: SpanState
}

/** Verifies spans against the current text of their sources, reading each source once. */
export async function checkSpans(
  tables: Tables,
  reader: Reader,
  spans: readonly EvidenceSpanRow[],
): Promise<CheckedSpan[]> {
  const bySource = new Map<string, EvidenceSpanRow[]>()
  for (const span of spans) {
    const key = `${span.source_kind}:${span.source_id}`
    bySource.set(key, [...(bySource.get(key) ?? []), span])
  }
  const states = new Map<string, SpanState>()
  for (const of of bySource.values())
    for (const [id, state] of await statesOf(tables, reader, of)) states.set(id, state)
  return spans.map(span => ({ ...span, state: states.get(span.id) ?? 'gone' }))
}

/** Returns the states of spans of one source, by id. */
async function statesOf(
  tables: Tables,
  reader: Reader,
  spans: readonly EvidenceSpanRow[],
): Promise<[string, SpanState][]> {
  const { source_kind: kind, source_id: sourceId } = spans[0] as EvidenceSpanRow
  const source = await sourceReaderOf(kind as SourceKind).open(tables, reader, sourceId)
  if (source.state !== 'readable') {
    // The owner of a deleted source is unknown, so only readers of the whole agent learn that it is gone.
    const state = source.state === 'gone' && reader.boundary.only ? 'hidden' : source.state
    return spans.map(({ id }) => [id, state])
  }
  const wanted = spans.map(({ quote, span_start }) => ({ quote, start: span_start }))
  const located = await locateQuotes(source, wanted)
  return spans.map(({ id, span_start }, position) => {
    const found = located.spans[position]
    if (!found) return [id, 'changed']
    return [id, found.start === span_start ? 'stands' : 'moved']
  })
}

/** True if the source contains the quote today. */
export function isQuoteFound({ state }: Pick<CheckedSpan, 'state'>): boolean {
  return state === 'stands' || state === 'moved'
}

/** True if the reader may read the source today, even if it has changed. */
export function isSourceReadable(span: Pick<CheckedSpan, 'state'>): boolean {
  return isQuoteFound(span) || span.state === 'changed'
}

/** Converts a span for replies. */
export function toEvidenceQuote(span: CheckedSpan): EvidenceQuote {
  const isShown = isSourceReadable(span)
  return {
    sourceKind: span.source_kind as SourceKind,
    sourceId: span.state === 'hidden' ? null : span.source_id,
    quote: isShown ? span.quote : null,
    start: isShown ? span.span_start : null,
    end: isShown ? span.span_end : null,
    state: span.state,
    matches: isQuoteFound(span),
  }
}
