import { Box, Text, useApp, useInput } from 'ink'
import { useEffect, useState } from 'react'
import { clipText } from '../text.js'
import { tint } from './drawing.js'
import { keyPresses } from './forget-keys.js'
import { useScreenSize } from './screen-size.js'

export interface PreviewScreenProps {
  /** What would be done, a line each; more than the screen holds can be scrolled. */
  lines: readonly string[]
  /** One line. */
  question: string
  /** False draws without colour. */
  color: boolean
  /** Called once. */
  onEnd: (isConfirmed: boolean) => void
}

/** Rows that are no lines: margins, the question, the keys, the count. */
const frameRows = 6

/** Shows what would be done and asks once: y is yes; n, q, enter and esc are no. */
export function PreviewScreen({ lines, question, color, onEnd }: PreviewScreenProps) {
  const [answer, setAnswer] = useState<boolean>()
  const [top, setTop] = useState(0)
  const { exit } = useApp()
  const { columns, rows } = useScreenSize()
  const shown = Math.max(1, rows - frameRows)
  const last = Math.max(0, lines.length - shown)

  useInput((input, key) => {
    for (const press of keyPresses(input, key)) {
      const by = stepOf(press, shown)
      if (by !== 0) setTop(current => Math.min(last, Math.max(0, current + by)))
      const meant = answerOf(press)
      if (meant !== undefined) setAnswer(known => known ?? meant)
    }
  })

  useEffect(() => {
    if (answer === undefined) return
    onEnd(answer)
    exit()
  }, [answer, onEnd, exit])

  if (answer !== undefined) return null
  return (
    <Box flexDirection="column">
      {lines.slice(top, top + shown).map((line, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a screen have no other name
        <Text key={position}>{clipText(line, columns)}</Text>
      ))}
      {last > 0 && (
        <Text dimColor>{`${top + 1} to ${Math.min(top + shown, lines.length)} of ${lines.length}`}</Text>
      )}
      <Box flexDirection="column" marginTop={1}>
        <Text bold {...tint(color, 'yellow')}>{`${question} y / n`}</Text>
        <Text dimColor>{`y yes · n, enter or esc no${last > 0 ? ' · up, down scroll' : ''}`}</Text>
      </Box>
    </Box>
  )
}

type Press = ReturnType<typeof keyPresses>[number]

function stepOf({ input, key }: Press, page: number): number {
  if (key.upArrow || input === 'k') return -1
  if (key.downArrow || input === 'j') return 1
  if (key.pageUp) return -page
  return key.pageDown || input === ' ' ? page : 0
}

function answerOf({ input, key }: Press): boolean | undefined {
  if (key.escape || key.return || /^[nq]$/iu.test(input)) return false
  return /^y$/iu.test(input) ? true : undefined
}
