import { Box, Text } from 'ink'
import { clipText, plainLine } from '../terminal/text.js'
import type { BrowseState } from './browse-state.js'
import { tailOf, tint } from './drawing.js'

interface BrowsePromptProps {
  state: BrowseState
  width: number
  color: boolean
}

/** What is asked: a line of text, or whether to do it. Always two rows, so that nothing jumps. */
export function BrowsePrompt({ state, width, color }: BrowsePromptProps) {
  return (
    <Box flexDirection="column" height={2}>
      <Text {...tint(color, state.intent?.do === 'forget' ? 'red' : 'cyan')} wrap="truncate">
        {question(state, width)}
      </Text>
      <Answer state={state} width={width} color={color} />
    </Box>
  )
}

function question({ step, intent }: BrowseState, width: number): string {
  const short = (content: string) => clipText(plainLine(content), Math.floor(width / 3))
  if (intent?.do === 'forget') {
    const pinned = intent.row.pinned ? 'the pinned memory ' : ''
    return `Forget ${pinned}"${short(intent.row.content)}"${step === 'confirm' ? ' y / n' : ''}`
  }
  if (intent?.do === 'supersede') {
    if (!intent.by) return `What replaces "${short(intent.row.content)}"?`
    const by = short(intent.by.content)
    return `Replace "${short(intent.row.content)}" by "${by}"${step === 'confirm' ? ' y / n' : ''}`
  }
  return ' '
}

const labels: Readonly<Partial<Record<BrowseState['step'], string>>> = {
  tag: 'Tag',
  tags: 'Tags',
  reason: 'Reason',
  confirm: 'Reason',
}

function Answer({ state: { step, input }, width, color }: BrowsePromptProps) {
  const label = labels[step]
  if (!label) return <Text> </Text>
  return (
    <Text wrap="truncate">
      <Text bold>{`${label}: `}</Text>
      <Text {...tint(color, 'cyan')}>{plainLine(tailOf(input, width - 12))}</Text>
      {step !== 'confirm' && <Text inverse> </Text>}
    </Text>
  )
}
