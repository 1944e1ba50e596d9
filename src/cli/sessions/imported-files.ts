import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { workspacePaths } from '../../lib/paths.js'
import type { SessionFile } from './session-files.js'

/** Files that were imported as they now are, so that an import can be repeated and goes on where it broke off. */
export interface ImportedFiles {
  has(file: SessionFile): boolean
  add(file: SessionFile): void
  /** Keeps what was added. */
  save(): void
}

interface Known {
  size: number
  mtimeMs: number
}

/** Raised when a reader was corrected: sessions imported by an earlier version are then read again. */
const version = 2

/** Those of a workspace; a missing or damaged file is an empty one, since importing twice does no harm. */
export function openImportedFiles(workspace: string | undefined): ImportedFiles {
  const file = join(workspacePaths(workspace).daemonDir, 'transcript-imports.json')
  const files = new Map<string, Known>(Object.entries(read(file)))
  return {
    has: ({ path, bytes, mtimeMs }) => {
      const known = files.get(path)
      return known?.size === bytes && known.mtimeMs === mtimeMs
    },
    add: ({ path, bytes, mtimeMs }) => void files.set(path, { size: bytes, mtimeMs }),
    save: () => {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const temporary = `${file}.${process.pid}.tmp`
      writeFileSync(temporary, JSON.stringify({ version, files: Object.fromEntries(files) }), { mode: 0o600 })
      renameSync(temporary, file)
    },
  }
}

function read(file: string): Record<string, Known> {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as {
      version?: unknown
      files?: Record<string, Known>
    }
    return kept.version === version ? (kept.files ?? {}) : {}
  } catch {
    return {}
  }
}
