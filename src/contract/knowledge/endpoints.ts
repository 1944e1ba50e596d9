import type { EndpointShape } from '../ground/endpoint.js'
import * as code from './code.js'
import * as connectors from './connectors.js'
import * as documents from './documents.js'
import * as dreaming from './dreaming.js'
import * as importFiles from './import-files.js'
import * as imports from './imports.js'
import * as ontology from './ontology.js'
import * as ontologyExplain from './ontology-explain.js'
import * as ontologyOperations from './ontology-operations.js'
import * as ontologyReview from './ontology-review.js'
import * as pickers from './pickers.js'
import * as sourceImport from './sources/source-import.js'
import * as sourceKinds from './sources/source-kinds.js'
import * as sourceSnapshot from './sources/source-snapshot.js'
import * as sources from './sources/sources.js'
import { exportTranscripts } from './transcript-export.js'

/** Imports of transcripts. */
const importEndpoints = [
  imports.createImport,
  imports.listImports,
  imports.getImport,
  importFiles.putImportFile,
  importFiles.patchImportFile,
  importFiles.finalizeImportFile,
  importFiles.resetImportFile,
  importFiles.importFileContent,
  imports.startImport,
  imports.pauseImport,
  imports.resumeImport,
  imports.retryImport,
  imports.cancelImport,
  imports.importRejections,
  imports.importReconciliation,
  exportTranscripts,
] as const satisfies readonly EndpointShape[]

/** Endpoints of documents, connectors, sources, the ontology, Dreaming and code. */
export const knowledgeEndpoints = [
  documents.createDocument,
  documents.listDocuments,
  documents.getDocument,
  documents.documentChunks,
  documents.deleteDocument,
  connectors.listConnectors,
  connectors.registerConnector,
  connectors.getConnector,
  connectors.syncConnector,
  connectors.fullSyncConnector,
  connectors.removeConnector,
  connectors.connectorHealth,
  sources.listSources,
  sources.searchSources,
  sourceImport.importFiles,
  sourceSnapshot.exportSnapshot,
  sourceSnapshot.importSnapshot,
  pickers.pickFiles,
  pickers.pickDirectory,
  sourceKinds.addVault,
  sourceKinds.addRepo,
  sourceKinds.addGuild,
  sources.getSource,
  sources.getSourceHealth,
  sources.listArtifacts,
  sources.syncSource,
  sources.pauseSource,
  sources.resumeSource,
  sources.removeSource,
  ontologyOperations.performOperations,
  ontology.listEntities,
  ontology.getEntity,
  ontology.describeEntity,
  ontology.getNeighbourhood,
  ontology.getGraph,
  ontology.claimsOfMemory,
  ontologyExplain.explainClaim,
  ontology.listProposals,
  ontology.applyProposal,
  ontology.rejectProposal,
  ontologyReview.reviewCards,
  ontologyReview.decideCards,
  ontologyReview.undoOntology,
  dreaming.dreamStatus,
  dreaming.triggerDream,
  code.codeStatus,
  code.codeSearch,
  code.codeContext,
  code.codeBlast,
  code.codeConstants,
  code.codeBriefing,
  code.codeDoctor,
  code.codeMoved,
  code.codeIndex,
  code.codeCancel,
  code.codeClear,
  ...importEndpoints,
] as const satisfies readonly EndpointShape[]
