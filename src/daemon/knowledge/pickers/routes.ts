import * as contract from '../../../contract/knowledge/pickers.js'
import { route } from '../../platform/http/bind.js'
import { openPicker } from './pick.js'

export const routes = [
  route(contract.pickFiles, async (daemon, { caller, body, untilGone }) => ({
    paths: await openPicker(daemon, caller, {
      kind: 'files',
      title: body.title || 'Choose files to import',
      signal: untilGone(),
    }),
  })),
  route(contract.pickDirectory, async (daemon, { caller, body, untilGone }) => {
    const [path = null] = await openPicker(daemon, caller, {
      kind: 'directory',
      title: body.title || 'Choose a folder',
      signal: untilGone(),
    })
    return { path }
  }),
]
