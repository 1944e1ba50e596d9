import { Time } from '../parts/time.js'
import type { Column } from '../parts/virtual-table.js'
import type { MemoryLine } from './row.js'

const shared: readonly Column<MemoryLine>[] = [
  {
    title: 'Memory',
    width: 'minmax(0, 1fr)',
    cell: line => (
      <>
        {line.pinned && (
          <span class="mark" title="Pinned">
            ★<span class="unseen">pinned </span>
          </span>
        )}
        {line.safety !== 'clean' && <span class="tag bad">{line.safety}</span>} {line.content}
      </>
    ),
  },
  { title: 'Type', width: '7.5rem', wide: true, cell: ({ type }) => <span class="dim">{type}</span> },
  {
    title: 'Tags',
    width: '10rem',
    wide: true,
    cell: ({ tags }) =>
      tags.slice(0, 3).map(tag => (
        <span key={tag} class="tag">
          {tag}
        </span>
      )),
  },
  { title: 'Who', width: '7rem', wide: true, cell: ({ who }) => <span class="dim">{who ?? ''}</span> },
]

/** Of a list by time. */
export const listColumns: readonly Column<MemoryLine>[] = [
  ...shared,
  { title: 'Saved', width: '9.5rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** Of what a search found. */
export const foundColumns: readonly Column<MemoryLine>[] = [
  ...shared,
  { title: 'Score', width: '6rem', cell: ({ score }) => score?.toFixed(3) },
]
