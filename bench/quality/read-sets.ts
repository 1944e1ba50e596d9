import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { dialogueSet, type RawDialogue } from './dialogues.js'
import { groupedSet, type RawGroupedSet } from './grouped-set.js'
import type { QualitySet } from './quality-set.js'

/**
 * Reads sets of questions; they are not part of this project.
 * @param paths JSON files, or folders whose JSON files are all read
 * @throws Error when a file cannot be read, or has neither format
 */
export async function readSets(paths: readonly string[]): Promise<QualitySet[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat()
  return Promise.all(files.map(readSet))
}

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const names = await readdir(path)
  return names
    .filter(name => name.endsWith('.json'))
    .toSorted()
    .map(name => join(path, name))
}

/** Detects the format by content: dialogues are a list, a grouped set has `groups`. */
async function readSet(path: string): Promise<QualitySet> {
  const name = basename(path, '.json')
  const raw: unknown = JSON.parse(await readFile(path, 'utf8'))
  if (Array.isArray(raw) && raw.every(isDialogue)) return dialogueSet(name, raw)
  if (isGrouped(raw)) return groupedSet(name, raw)
  throw new Error(
    `${path} contains neither dialogues (a list of samples with "conversation" and "qa") nor a set with "groups"`,
  )
}

function isDialogue(value: unknown): value is RawDialogue {
  return typeof value === 'object' && value !== null && 'conversation' in value && 'qa' in value
}

function isGrouped(value: unknown): value is RawGroupedSet {
  return typeof value === 'object' && value !== null && 'groups' in value && Array.isArray(value.groups)
}
