import { JSONParser, TokenType } from '@streamparser/json'
import { AppError } from '../../../../contract/ground/errors.js'
import {
  type SnapshotArtifact,
  snapshotArtifact,
  sourceSnapshot,
} from '../../../../contract/knowledge/sources/source-snapshot.js'
import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import { assertStorable, maxDepth } from '../../../platform/http/bodies/json-shape.js'
import { parseInput } from '../../../platform/http/errors.js'

/** Bytes parsed in one step: about 2 ms. */
const stepBytes = 64 * 1024
/**
 * Limit on tokens within one artifact and outside all of them: an artifact has a dozen fields and a few
 * names.
 */
const maxTokens = 10_000

/** The fields of a snapshot besides its artifacts. */
const headShape = sourceSnapshot.pick({ version: true, source: true })

export interface SnapshotReader {
  /** Artifacts in the order of the file. */
  artifacts: AsyncGenerator<SnapshotArtifact>
  /**
   * Returns the snapshot's source; call it after reading all artifacts.
   * @throws AppError `validation_failed`
   */
  source(): { id: string; kind: string }
}

interface Member {
  /** A number for an artifact. */
  key: string | number | undefined
  value: unknown
}

/**
 * Reads a snapshot in slices, so that the whole is never in memory.
 * @throws AppError `invalid_json`, `validation_failed` while the artifacts are read
 */
export function readSnapshot(bytes: AsyncIterable<Buffer>): SnapshotReader {
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
  if (!parser.isEnded()) throw notJson('it is incomplete')
  if (head.artifacts !== true) throw notSnapshot('artifacts: must be a list')
}

function addOnce(head: Record<string, unknown>, key: string, value: boolean): void {
  if (key in head) throw notSnapshot(`${key}: appears twice`)
  head[key] = value
}

async function* stepsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length; at += stepBytes) yield chunk.subarray(at, at + stepBytes)
}

/** Limits memory: bounds the nesting, and discards values that are not part of a snapshot. */
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
    if (++state.tokens > maxTokens) throw notSnapshot('an artifact has too many values')
  }
  parser.onValue = ({ key, value, stack }) => {
    // `artifacts` is an object instead of a list.
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
        throw notJson(`syntax error at or just after byte ${byteOffsetIn(error) ?? state.offset}`)
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

/** Returns the byte offset named in a parser error; the rest of such a message is internal. */
function byteOffsetIn(error: unknown): number | undefined {
  const at = /position "?(?<at>\d+)"?/u.exec((error as Error).message)?.groups?.at
  return at === undefined ? undefined : Number(at)
}

function notJson(message: string): AppError {
  return new AppError('invalid_json', `the body is not valid JSON: ${message}`)
}

function notSnapshot(message: string): AppError {
  return new AppError('validation_failed', `the body is not a source snapshot: ${message}`)
}
