import { type DatabaseSchema, tableGroups } from '../../../../contract/operations/diagnostics.js'
import type { CatalogueTable } from '../../../../store/sql/catalogue.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { groupOf, maySample } from './table-groups.js'

/** Describes the tables of the database with their row counts. */
export async function describeSchema({ catalogue }: Tables, now: string): Promise<DatabaseSchema> {
  const tables: DatabaseSchema['tables'] = []
  for (const table of await catalogue.tables()) tables.push(await describe(catalogue, table))
  const count = (group: string): number => tables.filter(table => table.group === group).length
  return {
    generatedAt: now,
    groups: Object.fromEntries(tableGroups.map(group => [group, count(group)])) as DatabaseSchema['groups'],
    tables,
  }
}

async function describe(
  catalogue: Tables['catalogue'],
  table: CatalogueTable,
): Promise<DatabaseSchema['tables'][number]> {
  const { name, kind, sql } = table
  const sampleAllowed = maySample(table)
  return {
    name,
    group: groupOf(table),
    kind,
    rowCount: sampleAllowed ? await catalogue.count(name) : null,
    sampleAllowed,
    columns: await catalogue.columns(name),
    indexes: await catalogue.indexes(name),
    foreignKeys: await catalogue.references(name),
    sql,
  }
}
