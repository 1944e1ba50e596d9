import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { tags } from '../ground/fields.js'

/** Longest content of a native note, in UTF-16 units (rules.md 8). */
const maxNoteLength = 8000

const nativeNoteBody = z.object({
  content: z
    .string({ error: issue => (issue.input === undefined ? 'content is required' : undefined) })
    .max(maxNoteLength, `a note has at most ${maxNoteLength} characters`)
    .refine(text => text.trim() !== '', 'must not be empty'),
  title: z.string().trim().max(200).nullish(),
  tags: tags.nullish(),
})
export type NativeNoteBody = z.infer<typeof nativeNoteBody>

const nativeNoteReply = z.object({ ok: z.literal(true), path: z.string() })
export type NativeNoteReply = z.infer<typeof nativeNoteReply>

export const nativeNote = endpoint({
  method: 'POST',
  path: '/api/memory/harnessb-native-note',
  summary: 'Save a note of Codex as a file and as a memory',
  permission: 'remember',
  mutates: true,
  metric: 'remember',
  body: nativeNoteBody,
  response: nativeNoteReply,
})
