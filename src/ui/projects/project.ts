import type { Reply } from '../../contract/api.js'

export type Project = Reply<'GET /api/projects'>['projects'][number]
