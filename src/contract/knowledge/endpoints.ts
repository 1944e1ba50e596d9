import type { EndpointShape } from '../ground/endpoint.js'
import * as documents from './documents.js'
import * as sources from './sources.js'

/** Documents and sources of others: the endpoints of this area. */
export const knowledgeEndpoints = [
  documents.createDocument,
  documents.listDocuments,
  documents.getDocument,
  documents.documentChunks,
  documents.deleteDocument,
  sources.searchSources,
] as const satisfies readonly EndpointShape[]
