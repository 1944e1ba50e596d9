import type { Reply } from '../../contract/api.js'

export type Message = Reply<'GET /api/cross-agent/messages'>['items'][number]

export const typeNames = {
  info: 'for information',
  question: 'question',
  assist_request: 'asks for help',
  decision_update: 'decision',
} as const
