import { render } from 'ink'
import { ForgetScreen } from './forget-screen.js'
import { type ForgetPreview, type ForgetState, startForget } from './forget-state.js'

/** What a person decided: `ids` in the order of the preview, `all` when nothing of the preview was left out. */
export interface ForgetChoice {
  ids: string[]
  all: boolean
  reason: string
}

/**
 * Shows the candidates of a forget preview on the terminal and waits for the decision.
 * @returns undefined when the person left without one (q, esc, Ctrl-C).
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
