import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import type { CardSide, ReviewDecision } from '../../contract/knowledge/ontology-review.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { countText } from '../parts/count-text.js'
import { Empty } from '../parts/empty.js'
import { Failure } from '../parts/failure.js'
import { useKeys } from '../parts/keys.js'
import { Loading } from '../parts/loading.js'
import { Time } from '../parts/time.js'
import { showFailure, showMessage } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'

type Cards = Reply<'GET /api/ontology/review'>
type Card = Cards['cards'][number]

const keys: Readonly<Record<ReviewDecision, string>> = { keep: 'k', replace: 'r', both: 'b', not_a_fact: 'n' }

/** Suggestions as cards, at most ten a day unless more are wanted. */
export function Review() {
  const [isAll, setAll] = useState(false)
  const [skipped, setSkipped] = useState<readonly string[]>([])
  const query = { all: isAll ? ('true' as const) : ('false' as const), limit: isAll ? 100 : undefined }
  const loaded = useLoaded(signal => call('GET /api/ontology/review', { query }, { signal }), [isAll])
  const open = loaded.value?.cards.filter(({ id }) => !skipped.includes(id)) ?? []
  const [first] = open
  const decide = async (cards: readonly Card[], decision: ReviewDecision) => {
    const decisions = cards.map(({ id }) => ({ id, decision }))
    const { batch, results } = await call('POST /api/ontology/review', { body: { decisions } })
    const done = results.filter(({ status }) => status === 'decided').length
    showMessage(`${countText(done, 'suggestion')} decided`, async () => {
      await call('POST /api/ontology/undo', { body: { batch } })
      loaded.reload()
    })
    loaded.reload()
  }
  const act = (decision: ReviewDecision) => {
    if (first?.choices.includes(decision)) decide([first], decision).catch(showFailure)
  }
  useKeys(
    may('modify') && first
      ? [
          ...first.choices.map(choice => ({
            key: keys[choice],
            does: choiceText(choice, first),
            run: () => act(choice),
          })),
          { key: 's', does: 'Skip the card', run: () => setSkipped([...skipped, first.id]) },
        ]
      : [],
  )
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!loaded.value) return <Loading />
  return (
    <>
      {open.length === 0 && <Done {...loaded.value} />}
      <ul class="plain-list lined">
        {open.map(card => (
          <li key={card.id} class="stack" aria-label={headOf(card)}>
            <CardFacts card={card} />
            {may('modify') && <Choices card={card} cards={open} decide={decide} />}
          </li>
        ))}
      </ul>
      {!isAll && loaded.value.waiting > loaded.value.count && (
        <p>
          <button type="button" class="plain" onClick={() => setAll(true)}>
            Show all {loaded.value.waiting}
          </button>
        </p>
      )}
    </>
  )
}

function Done({ waiting }: Cards) {
  return (
    <Empty title={waiting === 0 ? 'Nothing to review' : 'Done for today'}>
      <p>
        {waiting === 0
          ? 'Contradictions and facts that Dreaming is unsure about appear here.'
          : `${countText(waiting, 'suggestion')} wait for another day.`}
      </p>
    </Empty>
  )
}

function headOf({ entity, title }: Card): string {
  return [entity, title].filter(Boolean).join(': ')
}

function choiceText(choice: ReviewDecision, { current }: Card): string {
  const texts: Readonly<Record<ReviewDecision, string>> = {
    keep: 'Keep current',
    replace: current === null ? 'Add' : 'Replace',
    both: 'Both',
    not_a_fact: 'Not a fact',
  }
  return texts[choice]
}

function CardFacts({ card }: { card: Card }) {
  return (
    <>
      <strong class="words">{headOf(card)}</strong>
      <div class="sides">
        {card.current !== null && <Side name="Current" side={card.current} />}
        <Side name={card.current === null ? 'New' : 'Suggested'} side={card.suggested} />
      </div>
    </>
  )
}

function Side({ name, side }: { name: string; side: CardSide }) {
  return (
    <div class="stack">
      <span class="dim">
        {name} {side.since !== null && <Time at={side.since} />}
      </span>
      <span class="words">{side.text}</span>
      {side.sources.map(({ kind, id, quote }) => (
        <span key={`${id} ${quote}`}>
          <q class="words">{quote}</q>{' '}
          {kind === 'memory' ? (
            <a href={addressOf('memories', [id])}>memory</a>
          ) : (
            <span class="dim">{labelOf('evidenceSource', kind)}</span>
          )}
        </span>
      ))}
    </div>
  )
}

interface ChoicesProps {
  card: Card
  cards: readonly Card[]
  decide: (cards: readonly Card[], decision: ReviewDecision) => Promise<void>
}

/** Buttons for this card, and for all cards of its entity. */
function Choices({ card, cards, decide }: ChoicesProps) {
  const same = cards.filter(({ entity }) => entity !== '' && entity === card.entity)
  const isFirst = same[0]?.id === card.id
  return (
    <p class="line">
      {card.choices.map(choice => (
        <button
          key={choice}
          type="button"
          class={choice === 'replace' ? undefined : 'plain'}
          onClick={() => decide([card], choice).catch(showFailure)}
        >
          {choiceText(choice, card)} <kbd>{keys[choice]}</kbd>
        </button>
      ))}
      {isFirst && same.length > 1 && (
        <button type="button" class="plain" onClick={() => decide(same, 'not_a_fact').catch(showFailure)}>
          Not a fact: all {same.length} about {card.entity}
        </button>
      )}
    </p>
  )
}
