import { agents } from './agents.js'
import { documents } from './documents.js'
import { imports } from './imports.js'
import { memories } from './memories.js'
import { ontology } from './ontology.js'
import { operations } from './operations.js'
import { sessions } from './sessions.js'
import { sources } from './sources.js'
import { transcripts } from './transcripts.js'

/** All tables of 0.1.0. Triggers of `operations` need the tables of `memories` and `sources`. */
export const schema = [
  memories,
  sessions,
  transcripts,
  imports,
  documents,
  sources,
  ontology,
  agents,
  operations,
].join('')
