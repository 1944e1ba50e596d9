import { Box, render, Text, useApp, useInput } from 'ink'
import { useRef, useState } from 'react'
import { tint } from './screen.js'

interface HiddenScreenProps {
  label: string
  /** False disables colour. */
  color: boolean
  /** Called once; undefined if the user cancels. */
  onEnd: (text: string | undefined) => void
}

/**
 * Asks on this terminal via standard error, since stdout may be redirected. @returns undefined if the user
 * cancels.
 */
export async function askHidden(input: { label: string; color: boolean }): Promise<string | undefined> {
  const ended: { text?: string | undefined } = {}
  const screen = render(
    <HiddenScreen
      {...input}
      onEnd={text => {
        ended.text = text
      }}
    />,
    { stdout: process.stderr },
  )
  await screen.waitUntilExit()
  return ended.text
}

/**
 * Reads a text without showing it or its length. Enter ends it; a newline within a paste belongs to the text.
 */
export function HiddenScreen({ label, color, onEnd }: HiddenScreenProps) {
  const text = useRef('')
  const [ended, setEnded] = useState(false)
  const { exit } = useApp()
  const end = (value: string | undefined): void => {
    setEnded(true)
    onEnd(value)
    exit()
  }

  useInput(
    (input, key) => {
      if (key.escape) end(undefined)
      else if (key.return) end(text.current)
      else if (key.backspace || key.delete) text.current = [...text.current].slice(0, -1).join('')
      else if (key.ctrl && input === 'u') text.current = ''
      else if (!(key.ctrl || key.meta)) {
        text.current += input.replace(/\r\n?/gu, '\n')
        if (text.current.endsWith('\n')) end(text.current.slice(0, -1))
      }
    },
    { isActive: !ended },
  )

  if (ended) return null
  return (
    <Box flexDirection="column">
      <Text bold {...tint(color, 'green')}>
        {label}
      </Text>
      <Text dimColor>input is hidden · Enter confirm · Esc cancel</Text>
    </Box>
  )
}
