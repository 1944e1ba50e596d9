import { JSONParser, TokenType } from '@streamparser/json'
import { AppError } from '../../../../contract/ground/errors.js'
import {
  type SnapshotArtifact,
  snapshotArtifact,
  sourceSnapshot,
} from '../../../../contract/knowledge/sources/source-snapshot.js'
import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import { maxDepth } from '../../../platform/http/bodies/json-shape.js'
import { assertStorable } from '../../../platform/http/bodies/storable.js'
import { parseInput } from '../../../platform/http/errors.js'

/** Bytes that are parsed in one go: about 2 ms. */
const stepBytes = 64 * 1024
/** Tokens of one artifact, or around all of them: an artifact has a dozen fields and a few names. */
const maxTokens = 10_000

/** What is said of the whole, beside the artifacts. */
const headShape = sourceSnapshot.pick({ version: true, source: true })

export interface SnapshotReading {
  /** In the order in which they stand there. */
  artifacts: AsyncGenerator<SnapshotArtifact>
  /** Of which source it is; to be asked when all artifacts were read. @throws AppError `validation_failed` */
  source(): { id: string; kind: string }
}

interface Member {
  /** A number for an artifact. */
  key: string | number | undefined
  value: unknown
}

/**
 * Reads a snapshot in slices; the whole is never in memory, whatever it holds.
 * @throws AppError `invalid_json`, `validation_failed` for what is no snapshot, while its artifacts are read.
 */
export function readSnapshot(bytes: AsyncIterable<Buffer>): SnapshotReading {
  const head: Record<string, unknown> = {}
  return { artifacts: artifactsOf(bytes, head), source: () => parseInput(headShape, head).source }
}

async function* artifactsOf(
  bytes: AsyncIterable<Buffer>,
  head: Record<string, unknown>,
): AsyncGenerator<SnapshotArtifact> {
  const told: Member[] = []
  const parser = createParser(member => told.push(member))
  const breathe = everyFewMs()
  let index = 0
  for await (const step of stepsOf(bytes)) {
    parser.write(step)
    for (const { key, value } of told.splice(0)) {
      if (typeof key === 'number') yield artifactOf(value, index++)
      else if (key === 'artifacts') addOnce(head, key, Array.isArray(value))
      else if (key !== undefined) head[key] = value
      await breathe()
    }
    await breathe()
  }
  if (!parser.isEnded()) throw notJson('it ended before it was complete')
  if (head.artifacts !== true) throw notSnapshot('artifacts: must be a list')
}

function addOnce(head: Record<string, unknown>, key: string, value: boolean): void {
  if (key in head) throw notSnapshot(`${key}: stands there twice`)
  head[key] = value
}

async function* stepsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length; at += stepBytes) yield chunk.subarray(at, at + stepBytes)
}

/** Bounds what is kept: nesting, and values that nobody asked for. */
function createParser(onMember: (member: Member) => void) {
  const parser = new JSONParser({
    paths: ['$.version', '$.source', '$.artifacts', '$.artifacts.*'],
    keepStack: false,
  })
  const state = { depth: 0, tokens: 0, offset: 0 }
  parser.onToken = ({ token, offset }) => {
    state.offset = offset
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) state.depth++
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) state.depth--
    if (state.depth > maxDepth) throw notSnapshot(`it is nested more than ${maxDepth} levels deep`)
    if (++state.tokens > maxTokens) throw notSnapshot('it holds more values than artifacts have')
  }
  parser.onValue = ({ key, value, stack }) => {
    // Of an object in place of the list.
    if (stack.length === 2 && typeof key !== 'number') throw notSnapshot('artifacts: must be a list')
    if (typeof key === 'number') state.tokens = 0
    onMember({ key, value })
  }
  return {
    isEnded: () => parser.isEnded,
    write: (bytes: Buffer): void => {
      try {
        parser.write(bytes)
      } catch (error) {
        if (error instanceof AppError) throw error
        throw notJson(`what stands at byte ${placeIn(error) ?? state.offset} or right behind it is none`)
      }
    },
  }
}

function artifactOf(value: unknown, index: number): SnapshotArtifact {
  try {
    assertStorable(value, '')
    return parseInput(snapshotArtifact, value)
  } catch (error) {
    throw error instanceof AppError ? notSnapshot(`artifacts.${index}: ${error.message.trim()}`) : error
  }
}

/** The byte that a parser names; the rest of what it says are its own states. */
function placeIn(error: unknown): number | undefined {
  const at = /position "?(?<at>\d+)"?/u.exec((error as Error).message)?.groups?.at
  return at === undefined ? undefined : Number(at)
}

function notJson(message: string): AppError {
  return new AppError('invalid_json', `the body is not valid JSON: ${message}`)
}

function notSnapshot(message: string): AppError {
  return new AppError('validation_failed', `the body is no snapshot of a source: ${message}`)
}
