import { render } from 'ink'
import type { call } from '../../client/call.js'
import { createBrowseApi } from './browse-api.js'
import { BrowseScreen } from './browse-screen.js'

/** Shows the browse screen until the person leaves it (q, esc at an empty search line, Ctrl-C). */
export async function browseMemories(input: {
  send: typeof call
  query: string
  color: boolean
}): Promise<void> {
  const { send, query, color } = input
  const screen = render(
    <BrowseScreen api={createBrowseApi(send)} query={query} color={color} now={Date.now()} />,
  )
  await screen.waitUntilExit()
}
