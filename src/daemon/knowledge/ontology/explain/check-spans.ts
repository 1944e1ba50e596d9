import type { SpanState, ToldSpan } from '../../../../contract/knowledge/ontology-explain.js'
import type { SourceKind } from '../../../../contract/knowledge/ontology-operations.js'
import type { EvidenceSpanRow } from '../../../../store/tables/knowledge/evidence-spans.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { locate, type Reader } from '../evidence/source.js'
import { sourceReaderOf } from '../evidence/source-readers.js'

/** A span with what became of it. */
export interface CheckedSpan extends EvidenceSpanRow {
  state: SpanState
}

/** Looks at the sources of spans as they are today, each once: what was recorded is not believed. */
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

/** The states of spans of one source, by their ids. */
async function statesOf(
  tables: Tables,
  reader: Reader,
  spans: readonly EvidenceSpanRow[],
): Promise<[string, SpanState][]> {
  const { source_kind: kind, source_id: sourceId } = spans[0] as EvidenceSpanRow
  const source = await sourceReaderOf(kind as SourceKind).open(tables, reader, sourceId)
  if (source.state !== 'readable') {
    // Of what is gone nobody can say any more whose it was: only who reads all of the agent's is told that it was.
    const state = source.state === 'gone' && reader.boundary.only ? 'hidden' : source.state
    return spans.map(({ id }) => [id, state])
  }
  const wanted = spans.map(({ quote, span_start }) => ({ quote, start: span_start }))
  const located = await locate(source, wanted)
  return spans.map(({ id, span_start }, position) => {
    const found = located.spans[position]
    if (!found) return [id, 'changed']
    return [id, found.start === span_start ? 'stands' : 'moved']
  })
}

/** Whether the quote stands in its source today. */
export function stands({ state }: Pick<CheckedSpan, 'state'>): boolean {
  return state === 'stands' || state === 'moved'
}

/** Whether the reader reads the source today, whatever it says. */
export function isRead(span: Pick<CheckedSpan, 'state'>): boolean {
  return stands(span) || span.state === 'changed'
}

/** A span as the reader is told of it. */
export function toToldSpan(span: CheckedSpan): ToldSpan {
  const isShown = isRead(span)
  return {
    sourceKind: span.source_kind as SourceKind,
    sourceId: span.state === 'hidden' ? null : span.source_id,
    quote: isShown ? span.quote : null,
    start: isShown ? span.span_start : null,
    end: isShown ? span.span_end : null,
    state: span.state,
    matches: stands(span),
  }
}
