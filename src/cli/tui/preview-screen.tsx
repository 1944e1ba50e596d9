import { Box, Text, useInput } from 'ink'
import { useState } from 'react'
import { wrapBelow } from '../terminal/text.js'
import { useAnswer } from './answer.js'
import { tint } from './drawing.js'
import { keyPresses } from './forget-keys.js'
import { useScreenSize } from './screen-size.js'
import { TypedName } from './typed-name.js'

export interface PreviewScreenProps {
  /** What would be done, a line each; more than the screen holds can be scrolled. */
  lines: readonly string[]
  /** One line. */
  question: string
  /** What has to be typed for a yes, where a y is too little. */
  typed?: string | undefined
  /** False draws without colour. */
  color: boolean
  /** Called once. */
  onEnd: (isConfirmed: boolean) => void
}

/** Rows that are no lines: margins, the question, what is typed, the keys, the count. */
const frameRows = 6

/**
 * Shows what would be taken away and asks once: y is yes; n, q, enter and esc are no. With `typed` only that text and
 * enter are yes.
 */
export function PreviewScreen({ lines, question, typed, color, onEnd }: PreviewScreenProps) {
  const [answer, setAnswer] = useState<boolean>()
  const [top, setTop] = useState(0)
  const { columns, rows } = useScreenSize()
  const drawn = lines.flatMap(line => wrapBelow(line, columns))
  const shown = Math.max(1, rows - frameRows)
  const last = Math.max(0, drawn.length - shown)

  useInput((input, key) => {
    for (const press of keyPresses(input, key)) {
      const isText = typed !== undefined && press.input !== ''
      const by = isText ? 0 : stepOf(press, shown)
      if (by !== 0) setTop(current => Math.min(last, Math.max(0, current + by)))
      const meant = typed === undefined ? answerOf(press) : undefined
      if (meant !== undefined) setAnswer(known => known ?? meant)
    }
  })

  useAnswer(answer, onEnd)

  if (answer !== undefined) return null
  return (
    <Box flexDirection="column">
      {drawn.slice(top, top + shown).map((line, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a screen have no other name
        <Text key={position}>{line}</Text>
      ))}
      {last > 0 && (
        <Text dimColor>{`${top + 1} to ${Math.min(top + shown, drawn.length)} of ${drawn.length}`}</Text>
      )}
      <Box flexDirection="column" marginTop={1}>
        <Text bold {...tint(color, 'yellow')}>
          {typed === undefined ? `${question} y / n` : question}
        </Text>
        {typed === undefined ? (
          <Text
            dimColor
          >{`y yes · n, enter or esc no, nothing is changed${last > 0 ? ' · ↑↓ scroll' : ''}`}</Text>
        ) : (
          <TypedName name={typed} color={color} onEnd={setAnswer} />
        )}
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
