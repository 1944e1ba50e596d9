import type { ComponentType } from 'preact'
import type { Permission } from '../contract/ground/endpoint.js'
import type { PageProps } from './routing/page-props.js'

export interface Page {
  /** First part of its address, and name of its folder. */
  name: string
  title: string
  /** Lines of a drawing in a square of 16. */
  icon: string
  /** The page is hidden without it. */
  permission?: Permission
  /** Loads its code on demand. */
  load: () => Promise<{ default: ComponentType<PageProps> }>
}

/** In the order of the navigation; the first one is the default. */
export const pages: readonly Page[] = [
  {
    name: 'home',
    title: 'Home',
    icon: 'M2.5 7.5 8 2.5l5.5 5M4 6.5v7h8v-7',
    permission: 'recall',
    load: () => import('./home/page.js'),
  },
  {
    name: 'search',
    title: 'Search',
    icon: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.5 10.5l3 3',
    permission: 'recall',
    load: () => import('./search/page.js'),
  },
  {
    name: 'memories',
    title: 'Memories',
    icon: 'M3 3.5h10M3 6.5h10M3 9.5h10M3 12.5h6',
    permission: 'recall',
    load: () => import('./memories/page.js'),
  },
  {
    name: 'recall',
    title: 'Recall lab',
    icon: 'M6 2.5h4M7 2.5v4l-3.5 6a.7.7 0 0 0 .6 1h7.8a.7.7 0 0 0 .6-1L9 6.5v-4M5 10.5h6',
    permission: 'recall',
    load: () => import('./recall-lab/page.js'),
  },
  {
    name: 'preview',
    title: 'Preview',
    icon: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8M8 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6',
    permission: 'recall',
    load: () => import('./preview/page.js'),
  },
  {
    name: 'projects',
    title: 'Projects',
    icon: 'M2 4.5h4l1.5 2H14v6.5H2z',
    permission: 'recall',
    load: () => import('./projects/page.js'),
  },
  {
    name: 'sessions',
    title: 'Sessions',
    icon: 'M2.5 3h11v7.5H7L4 13v-2.5H2.5z',
    permission: 'recall',
    load: () => import('./sessions/page.js'),
  },
  {
    name: 'knowledge',
    title: 'Knowledge',
    icon: 'M8 3.2m-1.7 0a1.7 1.7 0 1 0 3.4 0 1.7 1.7 0 1 0-3.4 0M3.5 12m-1.7 0a1.7 1.7 0 1 0 3.4 0 1.7 1.7 0 1 0-3.4 0M12.5 12m-1.7 0a1.7 1.7 0 1 0 3.4 0 1.7 1.7 0 1 0-3.4 0M7.2 4.8 4.3 10.5M8.8 4.8l2.9 5.7M5.2 12h5.6',
    permission: 'recall',
    load: () => import('./knowledge/page.js'),
  },
  {
    name: 'sources',
    title: 'Sources',
    icon: 'M4 2h5l3 3v9H4zM9 2v3h3',
    permission: 'documents',
    load: () => import('./sources/page.js'),
  },
  {
    name: 'tasks',
    title: 'Tasks and agents',
    icon: 'M2.5 4.5 4 6l2.5-3M2.5 10.5 4 12l2.5-3M9 4.5h5M9 10.5h5',
    permission: 'recall',
    load: () => import('./tasks/page.js'),
  },
  {
    name: 'secrets',
    title: 'Secrets',
    icon: 'M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
    permission: 'modify',
    load: () => import('./secrets/page.js'),
  },
  {
    name: 'operations',
    title: 'Operations',
    icon: 'M1.5 8.5h3l2-5 3 9 2-4h3',
    permission: 'diagnostics',
    load: () => import('./operations/page.js'),
  },
  {
    name: 'settings',
    title: 'Settings',
    icon: 'M2 4.5h6M11 4.5h3M9.5 3v3M2 11.5h3M8 11.5h6M6.5 10v3',
    permission: 'admin',
    load: () => import('./settings/page.js'),
  },
]
