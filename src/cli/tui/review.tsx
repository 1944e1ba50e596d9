import { Box, render, Text, useApp, useInput } from 'ink'
import { useRef, useState } from 'react'
import type { CardSide, ReviewCard, ReviewDecision } from '../../contract/knowledge/ontology-review.js'
import { choiceKeys, choiceLabel, headOf, quoteLines } from '../knowledge/ontology/review-text.js'
import { displayWidth, firstLines, plainLine } from '../terminal/text.js'
import { Column, type KeyPress, keyPresses, tint, useScreenSize } from './screen.js'

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
  const { columns, rows } = useScreenSize()
  const shown = cards[position]
  const width = Math.min(columns, 120)
  const keys = keyLines([...(shown ? keysOf(shown) : []), 's skip', 'u undo', 'q quit'], width)
  return (
    <Column width={width}>
      {shown ? (
        <Card
          card={shown}
          number={`${position + 1} of ${cards.length}`}
          rows={rows - keys.length - otherRows}
          width={width}
          color={color}
        />
      ) : (
        <Text bold>No more cards. Press q to quit, u to undo.</Text>
      )}
      <Text {...tint(color, 'yellow')} wrap="truncate">
        {plainLine(notice) || ' '}
      </Text>
      <Text dimColor>{keys.join('\n')}</Text>
    </Column>
  )
}

/** Rows of the title and its gap, of the notice, and a free one: a full screen would flicker. */
const otherRows = 4

/** A key and its effect stay in one line. */
function keyLines(keys: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const key of keys) {
    const longer = lines.length > 0 ? `${lines.at(-1)} · ${key}` : key
    if (lines.length > 0 && displayWidth(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(key)
  }
  return lines
}

/** The cards of one entity from here on; cards are grouped, so they follow each other. */
function alike(cards: readonly ReviewCard[], { entity }: ReviewCard, decision: ReviewDecision): ReviewCard[] {
  const end = cards.findIndex(card => card.entity !== entity || !card.choices.includes(decision))
  return cards.slice(0, end < 0 ? cards.length : end)
}

function decisionOf({ input }: KeyPress, { choices }: ReviewCard): ReviewDecision | undefined {
  return choices.find(choice => choiceKeys[choice] === input.toLowerCase())
}

function keysOf(card: ReviewCard): string[] {
  return card.choices.map(choice => `${choiceKeys[choice]} ${choiceLabel(choice, card)}`)
}

interface CardProps {
  card: ReviewCard
  number: string
  /** Rows for both sides. */
  rows: number
  width: number
  color: boolean
}

/** Columns between the two sides. */
const gap = 3
/** On a narrower screen the sides are one below the other. */
const stackBelow = 50

function Card({ card, number, rows, width, color }: CardProps) {
  const { current, suggested } = card
  const isStacked = current !== null && width < stackBelow
  const isSplit = current !== null && !isStacked
  const side = {
    width: isSplit ? Math.floor((width - gap) / 2) : width,
    rows: Math.max(2, isStacked ? Math.floor(rows / 2) : rows),
    color,
  }
  return (
    <Box flexDirection="column">
      <Text bold wrap="truncate">{`${number}  ${headOf(card)}`}</Text>
      <Box marginTop={1} {...(isStacked ? { flexDirection: 'column' } : { gap })}>
        {current !== null && <Side name="Now" side={current} {...side} tone="cyan" />}
        <Side name={current === null ? 'New' : 'Suggested'} side={suggested} {...side} tone="green" />
      </Box>
    </Box>
  )
}

interface SideProps {
  name: string
  side: CardSide
  /** The heading is one of them. */
  rows: number
  width: number
  color: boolean
  tone: 'cyan' | 'green'
}

function Side({ name, side, rows, width, color, tone }: SideProps) {
  const text = firstLines(plainLine(side.text), width, Math.min(4, rows - 1))
  const room = rows - 1 - text.length
  const quotes = quoteLines(side).flatMap(line => firstLines(line, width, 3))
  return (
    <Box flexDirection="column" width={width}>
      <Text dimColor>{name}</Text>
      <Text {...tint(color, tone)}>{text.join('\n')}</Text>
      {room > 0 && <Text dimColor>{quotes.slice(0, room).join('\n')}</Text>}
    </Box>
  )
}
