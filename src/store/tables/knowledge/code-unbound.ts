import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Database as Connection } from 'better-sqlite3'
import type { EdgeRow } from './code-rows.js'

/** A use that no symbol in the project is known to match. */
export type UnboundUse = Pick<
  EdgeRow,
  'kind' | 'name' | 'qualifier' | 'receiver' | 'line' | 'count' | 'source'
>

type PackedUse = readonly [
  kind: UnboundUse['kind'],
  name: string,
  qualifier: string | null,
  receiver: string | null,
  line: number,
  count: number,
  source: number | null,
]

/** Names are stored as four-byte hashes; collisions are resolved by comparing the names in a file's uses. */
const nameHash = (name: string): number => crc32(name)

/**
 * Unbound uses, one row per file. They are most of a file's uses (library names) and rarely queried, and
 * would dominate the index as edges. Binding takes out those that it can resolve.
 */
export function unboundReads(connection: Connection) {
  const one = connection.prepare<[number], Buffer>('SELECT uses FROM unbound WHERE file = ?').pluck()
  const naming = connection
    .prepare<[number, number], number>('SELECT file FROM unbound_names WHERE name = ? LIMIT ?')
    .pluck()
  const unboundIn = (file: number): UnboundUse[] => {
    const packed = one.get(file)
    return packed ? unpacked(packed) : []
  }
  return {
    unboundIn,
    /** Returns files that use a name; hash collisions may add others. */
    filesUsing: (name: string, limit: number): number[] => naming.all(nameHash(name), limit),
  }
}

export function unboundWrites(connection: Connection) {
  const put = connection.prepare<[number, number, Buffer]>(
    'INSERT INTO unbound (file, named, uses) VALUES (?, ?, ?) ON CONFLICT (file) DO UPDATE SET named = excluded.named, uses = excluded.uses',
  )
  const drop = connection.prepare<[number]>('DELETE FROM unbound WHERE file = ?')
  const one = connection.prepare<[number], { named: number; uses: Buffer }>(
    'SELECT named, uses FROM unbound WHERE file = ?',
  )
  const addName = connection.prepare<[number, number]>(
    'INSERT INTO unbound_names (name, file) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  const dropName = connection.prepare<[number, number]>(
    'DELETE FROM unbound_names WHERE name = ? AND file = ?',
  )
  const namesKnownIn = (file: number): Set<number> => {
    const row = one.get(file)
    return row?.named === 1 ? namesOf(unpacked(row.uses)) : new Set()
  }
  return {
    /** Saves uses of a file that were not tried for binding yet. */
    addUnsettled: (file: number, uses: readonly UnboundUse[]) => {
      if (uses.length > 0) put.run(file, 0, packedOf(uses))
    },
    /** Saves the uses of a file that binding could not resolve. */
    settleUnbound: (file: number, uses: readonly UnboundUse[]) => {
      const [before, now] = [namesKnownIn(file), namesOf(uses)]
      for (const name of before) if (!now.has(name)) dropName.run(name, file)
      for (const name of now) if (!before.has(name)) addName.run(name, file)
      if (uses.length > 0) put.run(file, 1, packedOf(uses))
      else drop.run(file)
    },
    isSettled: (file: number): boolean => (one.get(file)?.named ?? 1) === 1,
    dropUnbound: (file: number) => {
      for (const name of namesKnownIn(file)) dropName.run(name, file)
      drop.run(file)
    },
  }
}

function namesOf(uses: readonly UnboundUse[]): Set<number> {
  return new Set(uses.map(({ name }) => nameHash(name)))
}

function packedOf(uses: readonly UnboundUse[]): Buffer {
  const rows = uses.map(
    ({ kind, name, qualifier, receiver, line, count, source }): PackedUse => [
      kind,
      name,
      qualifier,
      receiver,
      line,
      count,
      source,
    ],
  )
  return deflateRawSync(JSON.stringify(rows), { level: 3 })
}

function unpacked(packed: Buffer): UnboundUse[] {
  const rows = JSON.parse(inflateRawSync(packed).toString()) as PackedUse[]
  return rows.map(([kind, name, qualifier, receiver, line, count, source]) => ({
    kind,
    name,
    qualifier,
    receiver,
    line,
    count,
    source,
  }))
}
