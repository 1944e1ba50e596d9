import type { Reply } from '../../../contract/api.js'
import type { CardSide, ReviewCard, ReviewDecision } from '../../../contract/knowledge/ontology-review.js'
import { countOf } from '../../../lib/text/count-of.js'
import { labelOf } from '../../../lib/text/labels.js'
import { shortId } from '../../../lib/text/uuid.js'
import type { Colors } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'

type Cards = Reply<'GET /api/ontology/review'>

/** Keys and labels of decisions; a suggestion without a current value is added instead of replacing one. */
export function choiceLabel(choice: ReviewDecision, { current }: Pick<ReviewCard, 'current'>): string {
  const labels: Readonly<Record<ReviewDecision, string>> = {
    keep: 'keep the current one',
    replace: current === null ? 'add it' : 'replace',
    both: 'both are right',
    not_a_fact: 'not a fact',
  }
  return labels[choice]
}

export const choiceKeys: Readonly<Record<ReviewDecision, string>> = {
  keep: 'k',
  replace: 'r',
  both: 'b',
  not_a_fact: 'n',
}

/** Formats cards as text for a terminal that cannot ask: two values side by side with quotes. */
export function cardsText(cards: readonly ReviewCard[], colors: Colors): string {
  return cards
    .map(card =>
      [
        `${colors.bold(headOf(card))}  ${colors.dim(shortId(card.id))}`,
        ...(card.current === null ? [] : sideLines('now      ', card.current, colors)),
        ...sideLines(card.current === null ? 'new      ' : 'suggested', card.suggested, colors),
      ].join('\n'),
    )
    .join('\n\n')
}

/** Formats cards for pipes, tab-separated: id, entity, attribute, current, suggested, quote, source. */
export function cardRows(cards: readonly ReviewCard[]): string {
  return cards
    .map(({ id, entity, title, current, suggested }) => {
      const [source] = suggested.sources
      const values = [entity, title, current?.text ?? '', suggested.text, source?.quote ?? ''].map(plainLine)
      return [id, ...values, source?.id ?? ''].join('\t')
    })
    .join('\n')
}

export function headOf({ entity, title }: Pick<ReviewCard, 'entity' | 'title'>): string {
  return [entity, title].filter(Boolean).map(plainLine).join(': ')
}

function sideLines(name: string, side: CardSide, colors: Colors): string[] {
  return [
    `  ${colors.dim(name)}  ${plainLine(side.text)}`,
    ...quoteLines(side).map(line => `             ${line}`),
  ]
}

/** Quotes of a value, each with its source. */
export function quoteLines({ sources, since }: CardSide): string[] {
  const day = since === null ? '' : `, ${since.slice(0, 10)}`
  return sources.map(
    ({ kind, id, quote }) =>
      `"${plainLine(quote)}"  ${labelOf('evidenceSource', kind)} ${shortId(plainLine(id))}${day}`,
  )
}

/** Tells how many suggestions wait, and how to see more than today's. */
export function waitingText({ count, waiting, leftToday }: Cards): string {
  if (waiting === 0) return 'Nothing to review.'
  if (count === 0 && leftToday === 0)
    return `Done for today; ${countOf(waiting, 'suggestion')} wait. More now: memory review --all`
  return count < waiting
    ? `${count} of ${countOf(waiting, 'suggestion')}; the others follow, or all now: memory review --all`
    : countOf(waiting, 'suggestion')
}
