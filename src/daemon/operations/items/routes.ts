import * as contract from '../../../contract/operations/items.js'
import { route } from '../../platform/http/bind.js'
import { openItem } from './open-item.js'
import { searchItems } from './search-items.js'

export const routes = [
  route(contract.searchItems, (daemon, { caller, body }) => searchItems(daemon, caller, body)),
  route(contract.openItem, (daemon, { caller, params, query }) =>
    openItem(daemon, caller, { id: params.id, ...query }),
  ),
]
