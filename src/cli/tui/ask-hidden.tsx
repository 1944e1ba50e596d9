import { Box, render, Text, useApp, useInput } from 'ink'
import { useRef, useState } from 'react'
import { tint } from './screen.js'

interface HiddenScreenProps {
  label: string
  /** False draws without colour. */
  color: boolean
  /** Called once; undefined when the person leaves. */
  onEnd: (text: string | undefined) => void
}

/** Asks on this terminal, by standard error: what a command prints may go elsewhere. @returns undefined when they leave. */
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
 * Takes a text without drawing any of it, not even its length. Enter ends it; a newline in the middle of a paste belongs
 * to the text.
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
      <Text dimColor>nothing is shown · enter ends it · esc leaves, nothing is changed</Text>
    </Box>
  )
}
