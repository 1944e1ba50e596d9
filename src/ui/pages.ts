import type { ComponentType } from 'preact'
import type { Permission } from '../contract/ground/endpoint.js'
import type { PageProps } from './routing/page-props.js'

export interface Page {
  /** First part of its address, and name of its folder. */
  name: string
  title: string
  /** The page is hidden without it. */
  permission?: Permission
  /** Loads its code on demand. */
  load: () => Promise<{ default: ComponentType<PageProps> }>
}

/** In the order of the navigation; the first one is the default. */
export const pages: readonly Page[] = [
  { name: 'home', title: 'Home', permission: 'recall', load: () => import('./home/page.js') },
  { name: 'search', title: 'Search', permission: 'recall', load: () => import('./search/page.js') },
  { name: 'memories', title: 'Memories', permission: 'recall', load: () => import('./memories/page.js') },
  { name: 'recall', title: 'Recall lab', permission: 'recall', load: () => import('./recall-lab/page.js') },
  { name: 'preview', title: 'Preview', permission: 'recall', load: () => import('./preview/page.js') },
  { name: 'projects', title: 'Projects', permission: 'recall', load: () => import('./projects/page.js') },
  { name: 'sessions', title: 'Sessions', permission: 'recall', load: () => import('./sessions/page.js') },
  { name: 'knowledge', title: 'Knowledge', permission: 'recall', load: () => import('./knowledge/page.js') },
  { name: 'sources', title: 'Sources', permission: 'documents', load: () => import('./sources/page.js') },
  { name: 'tasks', title: 'Tasks and agents', permission: 'recall', load: () => import('./tasks/page.js') },
  { name: 'secrets', title: 'Secrets', permission: 'modify', load: () => import('./secrets/page.js') },
  {
    name: 'operations',
    title: 'Operations',
    permission: 'diagnostics',
    load: () => import('./operations/page.js'),
  },
  { name: 'settings', title: 'Settings', permission: 'admin', load: () => import('./settings/page.js') },
]
