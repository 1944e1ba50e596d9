import { Box, render, Text, useApp, useInput } from 'ink'
import { useRef, useState } from 'react'
import type { CardSide, ReviewCard, ReviewDecision } from '../../contract/knowledge/ontology-review.js'
import { choiceKeys, choiceLabel, headOf, quoteLines } from '../knowledge/ontology/review-text.js'
import { plainLine, wrapText } from '../terminal/text.js'
import { type KeyPress, keyPresses, tint, useScreenSize } from './screen.js'

interface ReviewScreenProps {
  cards: readonly ReviewCard[]
  /** False disables colour. */
  color: boolean
  /** Sends decisions. Rejects with a sentence for the user. @returns the batch that undoes them */
  decide: (decisions: readonly { id: string; decision: ReviewDecision }[]) => Promise<string>
  undo: (batch: string) => Promise<void>
}

interface Step {
  position: number
  /** Undefined for a skipped card. */
  batch: string | undefined
  decided: number
}

/** Shows cards until the user ends. @returns the number of decided cards. */
export async function reviewScreen(input: ReviewScreenProps): Promise<number> {
  let decided = 0
  const screen = render(<ReviewScreen {...input} onCount={count => (decided = count)} />)
  await screen.waitUntilExit()
  return decided
}

/**
 * Shows one card after another: k keeps, r replaces or adds, b takes both, n is not a fact; in upper case for
 * all cards of this entity. s skips, u undoes the last step, q ends. A decision is sent at once.
 */
export function ReviewScreen({
  cards,
  color,
  decide,
  undo,
  onCount,
}: ReviewScreenProps & { onCount: (count: number) => void }) {
  const [position, setPosition] = useState(0)
  const [notice, setNotice] = useState('')
  const steps = useRef<Step[]>([])
  // One request at a time, in the order of the keys.
  const queue = useRef(Promise.resolve())
  const at = useRef(0)
  const { exit } = useApp()
  const move = (to: number, text = ''): void => {
    at.current = to
    setPosition(to)
    setNotice(text)
    onCount(steps.current.reduce((sum, { decided }) => sum + decided, 0))
  }

  const act = async (press: KeyPress): Promise<void> => {
    const card = cards[at.current]
    if (press.key.escape || press.input === 'q') return exit()
    if (press.input === 'u') return back()
    if (!card) return
    if (press.input === 's' || press.key.downArrow || press.key.rightArrow) {
      steps.current.push({ position: at.current, batch: undefined, decided: 0 })
      return move(at.current + 1)
    }
    const decision = decisionOf(press, card)
    if (!decision) return
    const isAll = press.input !== press.input.toLowerCase()
    const wanted = isAll ? alike(cards.slice(at.current), card, decision) : [card]
    const batch = await decide(wanted.map(({ id }) => ({ id, decision })))
    steps.current.push({ position: at.current, batch, decided: wanted.length })
    move(at.current + wanted.length, `${choiceLabel(decision, card)}: ${headOf(card)}`)
  }
  const back = async (): Promise<void> => {
    const last = steps.current.at(-1)
    if (!last) return setNotice('Nothing to undo.')
    if (last.batch !== undefined) await undo(last.batch)
    steps.current.pop()
    move(last.position, last.batch === undefined ? '' : 'Undone.')
  }

  useInput((input, key) => {
    for (const press of keyPresses(input, key))
      queue.current = queue.current.then(() => act(press)).catch(error => setNotice((error as Error).message))
  })

  return <ReviewFrame cards={cards} position={position} notice={notice} color={color} />
}

interface ReviewFrameProps extends Pick<ReviewScreenProps, 'cards' | 'color'> {
  position: number
  notice: string
}

function ReviewFrame({ cards, position, notice, color }: ReviewFrameProps) {
  const { columns } = useScreenSize()
  const shown = cards[position]
  const width = Math.min(columns, 120)
  return (
    <Box flexDirection="column" width={width}>
      {shown ? (
        <Card card={shown} number={`${position + 1} of ${cards.length}`} width={width} color={color} />
      ) : (
        <Text bold>No more cards. Press q to quit, u to undo.</Text>
      )}
      <Text {...tint(color, 'yellow')}>{plainLine(notice) || ' '}</Text>
      <Text dimColor>{`${shown ? `${keysOf(shown)} · ` : ''}s skip · u undo · q quit`}</Text>
    </Box>
  )
}

/** The cards of one entity from here on; cards are grouped, so they follow each other. */
function alike(cards: readonly ReviewCard[], { entity }: ReviewCard, decision: ReviewDecision): ReviewCard[] {
  const end = cards.findIndex(card => card.entity !== entity || !card.choices.includes(decision))
  return cards.slice(0, end < 0 ? cards.length : end)
}

function decisionOf({ input }: KeyPress, { choices }: ReviewCard): ReviewDecision | undefined {
  return choices.find(choice => choiceKeys[choice] === input.toLowerCase())
}

function keysOf(card: ReviewCard): string {
  return card.choices.map(choice => `${choiceKeys[choice]} ${choiceLabel(choice, card)}`).join(' · ')
}

interface CardProps {
  card: ReviewCard
  number: string
  width: number
  color: boolean
}

function Card({ card, number, width, color }: CardProps) {
  const { current, suggested } = card
  const half = Math.max(20, Math.floor((width - 3) / (current === null ? 1 : 2)))
  return (
    <Box flexDirection="column">
      <Text bold>{`${number}  ${headOf(card)}`}</Text>
      <Box marginTop={1} gap={3}>
        {current !== null && <Side name="Now" side={current} width={half} color={color} tone="cyan" />}
        <Side
          name={current === null ? 'New' : 'Suggested'}
          side={suggested}
          width={half}
          color={color}
          tone="green"
        />
      </Box>
    </Box>
  )
}

interface SideProps {
  name: string
  side: CardSide
  width: number
  color: boolean
  tone: 'cyan' | 'green'
}

function Side({ name, side, width, color, tone }: SideProps) {
  const quotes = quoteLines(side).flatMap(line => wrapText(line, width).slice(0, 3))
  return (
    <Box flexDirection="column" width={width}>
      <Text dimColor>{name}</Text>
      <Text {...tint(color, tone)}>{wrapText(plainLine(side.text), width).slice(0, 4).join('\n')}</Text>
      <Text dimColor>{quotes.join('\n')}</Text>
    </Box>
  )
}
