import type { BrowseRow } from '../../../../../src/cli/tui/browse/state.js'

export function browseRow(id: string, fields: Partial<BrowseRow> = {}): BrowseRow {
  return {
    id,
    content: `memory ${id}`,
    type: 'fact',
    tags: '',
    pinned: 0,
    created_at: '2026-03-28T11:00:00.000Z',
    importance: 0.8,
    who: null,
    project: null,
    ...fields,
  }
}
