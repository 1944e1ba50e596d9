import { useRef, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import type { CardSide, ReviewDecision } from '../../contract/knowledge/ontology-review.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { RunDreaming } from '../frame/run-dreaming.js'
import { type Key, useKeys } from '../parts/keys.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { showFailure, showMessage } from '../parts/toast.js'
import { countText, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'

type Cards = Reply<'GET /api/ontology/review'>
type Card = Cards['cards'][number]

const keys: Readonly<Record<ReviewDecision, string>> = { keep: 'k', replace: 'r', both: 'b', not_a_fact: 'n' }

const kinds: Readonly<Record<Card['kind'], string>> = {
  contradiction: 'Contradiction',
  fact: 'New fact',
  relation: 'New relation',
  name: 'New name',
  merge: 'One entity or two',
  memory: 'A change of a memory',
}

/** Suggestions as cards in groups of one entity, at most ten a day unless more are wanted. */
export function Review() {
  const [isAll, setAll] = useState(false)
  const [skipped, setSkipped] = useState<readonly string[]>([])
  const [chosen, setChosen] = useState<string>()
  const query = { all: isAll ? ('true' as const) : ('false' as const), limit: isAll ? 100 : undefined }
  const loaded = useLoaded(
    signal => call('GET /api/ontology/review', { query }, { signal }),
    [isAll, changes.value],
  )
  const open = loaded.value?.cards.filter(({ id }) => !skipped.includes(id)) ?? []
  const current = open.find(({ id }) => id === chosen) ?? open[0]
  const decide = useDecide(loaded.reload)
  const move = (by: number) => {
    const next = current && open[open.indexOf(current) + by]
    if (!next) return
    setChosen(next.id)
    document.getElementById(idOf(next))?.focus()
  }
  const skip = (id: string) => setSkipped([...skipped, id])
  useKeys(may('modify') && current ? keysOf(current, { open, decide, choose: setChosen, skip, move }) : [])
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!loaded.value) return <Loading />
  return (
    <>
      {open.length === 0 && <Done {...loaded.value} />}
      {groupsOf(open).map(cards => (
        <Group
          key={`${cards[0]?.entity} ${cards[0]?.id}`}
          cards={cards}
          current={current}
          decide={decide}
          onChoose={setChosen}
        />
      ))}
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

interface Acts {
  open: readonly Card[]
  decide: Decide & { undo: () => Promise<void> }
  choose: (id: string | undefined) => void
  skip: (id: string) => void
  move: (by: number) => void
}

/** Keys that decide or leave a card. The next card is current afterwards. */
function keysOf(card: Card, { open, decide, choose, skip, move }: Acts): Key[] {
  const after = open[open.indexOf(card) + 1]
  const leave = (act: () => void) => () => {
    choose(after?.id)
    act()
  }
  return [
    ...card.choices.map(choice => ({
      key: keys[choice],
      does: choiceText(choice, card),
      run: leave(() => void decide([card], choice).catch(showFailure)),
    })),
    { key: 's', does: 'Skip the card', run: leave(() => skip(card.id)) },
    { key: 'u', does: 'Undo the last decision', run: () => void decide.undo().catch(showFailure) },
    { key: 'j', does: 'Next card', run: () => move(1) },
    { key: 'ArrowDown', does: 'Next card', run: () => move(1) },
    { key: 'ArrowUp', does: 'Previous card', run: () => move(-1) },
  ]
}

type Decide = (cards: readonly Card[], decision: ReviewDecision) => Promise<void>

/** Decides cards, and takes the last decisions back. */
function useDecide(reload: () => void): Decide & { undo: () => Promise<void> } {
  const last = useRef<string | undefined>(undefined)
  const undo = async () => {
    const batch = last.current
    if (batch === undefined) return
    last.current = undefined
    await call('POST /api/ontology/undo', { body: { batch } })
    reload()
  }
  const decide: Decide = async (cards, decision) => {
    const decisions = cards.map(({ id }) => ({ id, decision }))
    const { batch, results } = await call('POST /api/ontology/review', { body: { decisions } })
    last.current = batch
    const done = results.filter(({ status }) => status === 'decided').length
    showMessage(`${countText(done, 'suggestion')} decided`, undo)
    reload()
  }
  return Object.assign(decide, { undo })
}

/** Cards of one entity that follow each other. */
function groupsOf(cards: readonly Card[]): Card[][] {
  const groups: Card[][] = []
  for (const card of cards) {
    const group = groups.at(-1)
    if (group && card.entity !== '' && group[0]?.entity === card.entity) group.push(card)
    else groups.push([card])
  }
  return groups
}

function idOf({ id }: Card): string {
  return `card-${id}`
}

interface GroupProps {
  cards: readonly Card[]
  /** The card that keys decide. */
  current: Card | undefined
  decide: Decide
  onChoose: (id: string) => void
}

/** The cards of one entity, with one decision for all of them. */
function Group({ cards, current, decide, onChoose }: GroupProps) {
  const [first] = cards
  const shared = (first?.choices ?? []).filter(choice =>
    cards.every(({ choices }) => choices.includes(choice)),
  )
  return (
    <section class="stack reading" aria-label={first?.entity || 'Without an entity'}>
      <div class="line">
        <h2>{first?.entity || 'Without an entity'}</h2>
        {cards.length > 1 && <span class="dim">{countText(cards.length, 'suggestion')}</span>}
        {may('modify') &&
          cards.length > 1 &&
          shared.map(choice => (
            <button
              key={choice}
              type="button"
              class="plain"
              onClick={() => decide(cards, choice).catch(showFailure)}
            >
              {first && choiceText(choice, first)}: all {cards.length}
            </button>
          ))}
      </div>
      <ul class="bare stack">
        {cards.map(card => (
          <li
            key={card.id}
            id={idOf(card)}
            class="card review-card"
            tabIndex={-1}
            aria-label={headOf(card)}
            aria-current={card.id === current?.id}
            onFocusIn={() => onChoose(card.id)}
          >
            <CardFacts card={card} />
            {may('modify') && <Choices card={card} isCurrent={card.id === current?.id} decide={decide} />}
          </li>
        ))}
      </ul>
    </section>
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
      {waiting === 0 && (
        <p>
          <RunDreaming />
        </p>
      )}
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
      <h3 class="words">{card.title || kinds[card.kind]}</h3>
      <div class="sides">
        {card.current !== null && <Side name="Current" side={card.current} />}
        <Side name={card.current === null ? 'New' : 'Suggested'} side={card.suggested} />
      </div>
    </>
  )
}

function Side({ name, side }: { name: string; side: CardSide }) {
  return (
    <div class="stack review-side">
      <span class="dim">
        {name}
        {side.since !== null && (
          <>
            , <Time at={side.since} />
          </>
        )}
      </span>
      <strong class="words">{side.text}</strong>
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
  isCurrent: boolean
  decide: Decide
}

function Choices({ card, isCurrent, decide }: ChoicesProps) {
  return (
    <p class="line">
      {card.choices.map(choice => (
        <button
          key={choice}
          type="button"
          class={choice === 'replace' ? undefined : 'plain'}
          onClick={() => decide([card], choice).catch(showFailure)}
        >
          {choiceText(choice, card)} {isCurrent && <kbd>{keys[choice]}</kbd>}
        </button>
      ))}
    </p>
  )
}
