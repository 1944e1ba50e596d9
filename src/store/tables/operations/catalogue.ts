import type { Kysely } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import {
  type CatalogueColumn,
  type CatalogueTable,
  columnsOf,
  countRows,
  indexesOf,
  isIndex,
  pagesOf,
  referencesOf,
  sampleOf,
  tablesIn,
} from '../../sql/catalogue.js'

/** The database's own catalogue: tables, columns, indexes and sample rows. */
export function catalogueTable(db: Kysely<Schema>) {
  return {
    tables: () => tablesIn(db),
    isIndex: (name: string) => isIndex(db, name),
    columns: (table: string) => columnsOf(db, table),
    indexes: (table: string) => indexesOf(db, table),
    references: (table: string) => referencesOf(db, table),
    pages: () => pagesOf(db),
    /** Counts rows with a full scan, page by page. */
    count: (table: string) => countRows(db, table),
    /** Reads sample rows; `table` and `columns` must come from the catalogue, as names are not escaped. */
    sample: (
      table: Pick<CatalogueTable, 'name' | 'numbered'>,
      columns: readonly CatalogueColumn[],
      page: { limit: number; offset: number; maxLength: number },
    ) => sampleOf(db, table, columns, page),
  }
}
