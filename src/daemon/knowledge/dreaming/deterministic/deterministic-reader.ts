import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { projectName } from '../pass/known-names.js'
import {
  type DreamReader,
  type EvidencePiece,
  type FoundOperation,
  isBelieved,
  type KnownName,
} from '../reader.js'
import { attribute, keyValue } from './attribute.js'
import type { Template } from './found.js'
import { operationsOf, type Statement } from './found.js'
import { decision, preference, rule } from './intent.js'
import { mentionsIn } from './mentions.js'
import { alias, owner } from './naming.js'
import { relation, replacement, upgrade } from './relation.js'
import { sentencesOf } from './sentences.js'
import type { Setting } from './subject.js'
import { withoutValidity } from './validity.js'

/** In the order in which they are asked: the first that understands a sentence is believed. */
export const templates: readonly Template[] = [
  decision,
  preference,
  rule,
  replacement,
  upgrade,
  alias,
  owner,
  relation,
  attribute,
  keyValue,
]

/**
 * Reads by rules, without a model (knowledge.md#what-is-read): rather silent than wrong. A sentence that no template
 * understands says nothing.
 */
export const deterministicReader: DreamReader = {
  name: 'deterministic',
  read: async ({ pieces, known, project, signal }) => {
    const pause = everyFewMs()
    const byKey = indexOf(known)
    const operations: FoundOperation[] = []
    for (const piece of pieces) {
      await pause()
      signal.throwIfAborted()
      operations.push(...readPiece(piece, byKey, project))
    }
    return { operations, failed: [], left: [] }
  },
}

/** A text of more lines tells a story, of which a line says little by itself: what it says is proposed. */
const storyLines = 8

/** What one piece says: statements, then mentions of entities that none of them speaks of. */
function readPiece(
  piece: EvidencePiece,
  known: ReadonlyMap<string, KnownName>,
  project: string | null,
): FoundOperation[] {
  if (!isBelieved(piece)) return []
  const setting: Setting = {
    known,
    project: project === null ? undefined : (known.get(nameKey(projectName(project))) ?? projectOf(project)),
    at: piece.at,
    isSpoken: piece.sourceKind === 'transcript',
  }
  const isStory = piece.text.split('\n').length > storyLines
  const found = sentencesOf(piece.text).flatMap(({ quote, isLine }) => {
    const { rest, validity } = withoutValidity(quote, piece.at)
    const [by, statements] = firstOf(rest, setting, isLine)
    return statements.flatMap(statement => operationsOf(statement, { piece, quote, validity, by, isStory }))
  })
  return [...found, ...(piece.sourceKind === 'memory' ? mentionsIn(piece, known, found) : [])]
}

function firstOf(sentence: string, setting: Setting, isLine: boolean): [string, readonly Statement[]] {
  for (const template of templates) {
    const statements = template.read(sentence, setting, isLine)
    if (statements.length > 0) return [template.name, statements]
  }
  return ['none', []]
}

function projectOf(project: string) {
  return { name: projectName(project), type: 'project' }
}

function indexOf(known: readonly KnownName[]): Map<string, KnownName> {
  const byKey = new Map<string, KnownName>()
  for (const one of known)
    for (const name of [one.name, ...one.aliases]) {
      const key = nameKey(name)
      if (!byKey.has(key)) byKey.set(key, one)
    }
  return byKey
}
