import * as contract from '../../../contract/knowledge/documents.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import { route } from '../../platform/http/bind.js'
import { createDocument } from './create-document.js'
import { deleteDocument, documentChunks, getDocument, listDocuments } from './documents.js'

export const routes = [
  route(contract.createDocument, (daemon, { caller, body }) => createDocument(daemon, caller, body)),
  route(contract.listDocuments, (daemon, { caller, query }) => listDocuments(daemon, caller, query)),
  route(contract.getDocument, (daemon, { caller, params, query }) =>
    getDocument(daemon, caller, query, params.id),
  ),
  route(contract.documentChunks, (daemon, { caller, params, query }) =>
    documentChunks(daemon, caller, query, params.id),
  ),
  route(contract.deleteDocument, async (daemon, { caller, params, query }) =>
    deleteDocument(daemon, caller, await readBoundary(daemon, caller, query), {
      id: params.id,
      reason: query.reason,
    }),
  ),
]
