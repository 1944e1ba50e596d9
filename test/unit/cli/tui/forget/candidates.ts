import type { ForgetCandidate } from '../../../../../src/cli/tui/forget/state.js'

export function candidate(id: string, fields: Partial<ForgetCandidate> = {}): ForgetCandidate {
  return {
    id,
    score: 1,
    pinned: 0,
    version: 1,
    content: `memory ${id}`,
    type: 'fact',
    tags: '',
    created_at: '2026-03-28T11:00:00.000Z',
    ...fields,
  }
}
