import { Box, type Key, render, Text, useApp, useInput, useStdout } from 'ink'
import { useEffect, useReducer } from 'react'
import { countOf } from '../../../lib/text/count-of.js'
import { labelOf } from '../../../lib/text/labels.js'
import { formatShortAge } from '../../../lib/time/age.js'
import { clipText, displayWidth, plainLine, wrapText } from '../../terminal/text.js'
import { Column, keyPresses, tailOf, tint } from '../screen.js'
import {
  actionOf,
  type ForgetCandidate,
  type ForgetPreview,
  type ForgetState,
  reduceForget,
  startForget,
} from './state.js'

interface ForgetScreenProps {
  initial: ForgetState
  /** False disables colour; bold and inverse remain. */
  color: boolean
  /** Milliseconds since the epoch. */
  now: number
  /** Called once, with the state in step `done` or `cancelled`. */
  onEnd: (state: ForgetState) => void
}

/** Rows outside the list: title, rules, the whole text of one memory, notice, keys. */
const chromeRows = 11

const detailLines = 3

interface CandidateListProps {
  state: ForgetState
  rows: number
  width: number
  color: boolean
  now: number
}

interface CandidateRowProps {
  row: ForgetCandidate
  here: boolean
  chosen: boolean
  width: number
  color: boolean
  now: number
}

const keys = {
  select: 'Space select · a all · ↑↓ jk move · Enter next · q quit',
  reason: 'Enter next · Esc back',
  confirm: 'y or Enter forget · n or Esc back · q quit',
  done: '',
  cancelled: '',
} as const

/** The user's selection: `ids` in the order of the preview, `all` if it is the whole preview. */
export interface ForgetChoice {
  ids: string[]
  all: boolean
  reason: string
}

/**
 * Shows the candidates of a forget preview and waits for the decision.
 * @returns undefined if the user cancels (q, Esc, Ctrl-C).
 */
export async function chooseMemories(input: {
  preview: ForgetPreview
  reason?: string
  force: boolean
  preselect: boolean
  color: boolean
}): Promise<ForgetChoice | undefined> {
  const { preview, reason, force, preselect, color } = input
  const initial = startForget({ candidates: preview.candidates, reason, force, preselect })
  const ended: { state?: ForgetState } = {}
  const screen = render(
    <ForgetScreen
      initial={initial}
      color={color}
      now={Date.now()}
      onEnd={state => {
        ended.state = state
      }}
    />,
  )
  await screen.waitUntilExit()
  return choiceOf(ended.state)
}

function choiceOf(state: ForgetState | undefined): ForgetChoice | undefined {
  if (state?.step !== 'done') return undefined
  const ids = state.candidates.filter(row => state.selected.has(row.id)).map(row => row.id)
  return { ids, all: ids.length === state.candidates.length, reason: state.reason.trim() }
}

/**
 * Lets the user inspect the candidates, select, give a reason and confirm. Arrows or j and k move, Space
 * selects, a selects all, Enter continues, Esc goes back, q cancels.
 */
export function ForgetScreen({ initial, color, now, onEnd }: ForgetScreenProps) {
  const [state, press] = useReducer(reduceKeys, initial)
  const { exit } = useApp()
  const { stdout } = useStdout()
  const width = Math.min(stdout.columns || 80, 120)
  const listRows = Math.max(3, (stdout.rows || 24) - chromeRows)

  useInput((input, key) => press({ input, key, pageRows: listRows }))

  const over = state.step === 'done' || state.step === 'cancelled'
  useEffect(() => {
    if (!over) return
    onEnd(state)
    exit()
  }, [over, state, onEnd, exit])

  if (over) return null
  return (
    <Column width={width}>
      <Title state={state} color={color} />
      <CandidateList state={state} rows={listRows} width={width} color={color} now={now} />
      {state.step === 'select' && <Detail row={state.candidates[state.cursor]} width={width} />}
      {state.step === 'reason' && <ReasonLine reason={state.reason} width={width} color={color} />}
      {state.step === 'confirm' && <Confirmation state={state} width={width} color={color} />}
      <Text {...tint(color, 'yellow')}>{state.notice || ' '}</Text>
      <Keys step={state.step} />
    </Column>
  )
}

/**
 * Handles each key with the current state, not with the last drawn one. Keys typed ahead of a new step are
 * dropped, so that a pasted text cannot confirm anything.
 */
function reduceKeys(state: ForgetState, pressed: { input: string; key: Key; pageRows: number }): ForgetState {
  let next = state
  for (const { input, key } of keyPresses(pressed.input, pressed.key)) {
    const action = actionOf(next.step, input, key, pressed.pageRows)
    if (action) next = reduceForget(next, action)
    if (next.step !== state.step) break
  }
  return next
}

function Title({ state, color }: { state: ForgetState; color: boolean }) {
  const pinned = state.candidates.filter(row => row.pinned).length
  return (
    <Text>
      <Text bold>Forget </Text>
      <Text bold {...tint(color, 'cyan')}>
        {state.selected.size}
      </Text>
      <Text bold> of {countOf(state.candidates.length, 'memory', 'memories')}</Text>
      {pinned > 0 && <Text {...tint(color, 'yellow')}> {pinned} pinned</Text>}
      <Text dimColor> recoverable for 30 days</Text>
    </Text>
  )
}

function CandidateList({ state, rows, width, color, now }: CandidateListProps) {
  const { candidates, cursor } = state
  const from = Math.max(0, Math.min(cursor - Math.floor(rows / 2), candidates.length - rows))
  const shown = candidates.slice(from, from + rows)
  const below = candidates.length - from - shown.length
  return (
    <Box flexDirection="column" marginY={1}>
      {shown.map((row, index) => (
        <CandidateRow
          key={row.id}
          row={row}
          here={from + index === cursor}
          chosen={state.selected.has(row.id)}
          width={width}
          color={color}
          now={now}
        />
      ))}
      {candidates.length > rows && <Text dimColor>{`  ${from} above, ${below} below`}</Text>}
    </Box>
  )
}

function CandidateRow({ row, here, chosen, width, color, now }: CandidateRowProps) {
  const tail = ` ${row.pinned ? 'pinned ' : ''}${labelOf('memoryType', row.type)} ${formatShortAge(row.created_at, now)}`
  const head = `${here ? '>' : ' '} [${chosen ? 'x' : ' '}] `
  const content = clipText(plainLine(row.content), Math.max(10, width - head.length - displayWidth(tail)))
  return (
    <Text bold={here} wrap="truncate">
      <Text {...(chosen ? tint(color, 'red') : {})}>{head}</Text>
      {content}
      {row.pinned ? <Text {...tint(color, 'yellow')}> pinned</Text> : null}
      <Text dimColor>{` ${labelOf('memoryType', row.type)} ${formatShortAge(row.created_at, now)}`}</Text>
    </Text>
  )
}

function Detail({ row, width }: { row: ForgetCandidate | undefined; width: number }) {
  if (!row) return null
  const lines = wrapText(plainLine(row.content), width)
  const shown = lines.slice(0, detailLines)
  if (lines.length > detailLines) shown[detailLines - 1] = clipText(`${shown[detailLines - 1]} …`, width)
  return (
    <Box flexDirection="column">
      <Text>{shown.join('\n')}</Text>
      <Text dimColor wrap="truncate">
        {[row.id, row.tags && `#${plainLine(row.tags).split(',').join(' #')}`].filter(Boolean).join(' · ')}
      </Text>
    </Box>
  )
}

function ReasonLine({ reason, width, color }: { reason: string; width: number; color: boolean }) {
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>Reason: </Text>
        <Text {...tint(color, 'cyan')}>{tailOf(reason, width - 10)}</Text>
        <Text inverse> </Text>
      </Text>
      <Text dimColor>Recorded in the history, for example: outdated, wrong, duplicate.</Text>
    </Box>
  )
}

function Confirmation({ state, width, color }: { state: ForgetState; width: number; color: boolean }) {
  const chosen = state.candidates.filter(row => state.selected.has(row.id))
  const pinned = chosen.filter(row => row.pinned).length
  const which = `${countOf(chosen.length, 'memory', 'memories')}${pinned > 0 ? `, ${pinned} of them pinned` : ''}`
  return (
    <Box flexDirection="column">
      <Text bold {...tint(color, 'red')}>
        {`Forget ${which}? y / n`}
      </Text>
      <Text dimColor>{clipText(`Reason: ${plainLine(state.reason.trim())}`, width)}</Text>
    </Box>
  )
}

function Keys({ step }: { step: ForgetState['step'] }) {
  return <Text dimColor>{keys[step]}</Text>
}
