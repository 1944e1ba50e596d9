import { render } from 'ink'
import { HiddenScreen } from './hidden-screen.js'

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
