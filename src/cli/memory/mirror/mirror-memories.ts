import type { Address, Reply, Request } from '../../../contract/api.js'
import { executeForget, forgetBatch, previewForget } from '../forget.js'
import { replacementOf } from '../record.js'
import { fieldsOf, type MirrorFields } from './mirror-file.js'
import type { MirrorMemories } from './sync-mirror.js'

/** Calls the daemon. */
export type MirrorCall = <A extends Address>(address: A, request?: Request<A>) => Promise<Reply<A>>
type RememberType = NonNullable<Request<'POST /api/memory/remember'>['body']>['type']

const pageSize = 1000
const reason = 'edited in a mirror'

/** The memories of the daemon, of one project or of all. */
export function mirrorMemories(call: MirrorCall, project: string | undefined): MirrorMemories {
  return {
    list: async () => {
      const versions = new Map<string, number>()
      for (let offset = 0; ; offset += pageSize) {
        const query = {
          limit: pageSize,
          offset,
          sort: 'oldest',
          current: true,
          maxContent: 1,
          project,
        } as const
        const { memories } = await call('GET /api/memories', { query })
        for (const { id, version } of memories) versions.set(id, version)
        if (memories.length < pageSize) return versions
      }
    },
    get: id => call('GET /api/memory/:id', { params: { id } }),
    change: async (old, fields) => {
      const before = fieldsOf(old)
      const id =
        before.text !== fields.text || before.type !== fields.type
          ? (await call('POST /api/memory/remember', { body: replacementOf(old, changesOf(fields)) })).id
          : (await call('PATCH /api/memory/:id', { params: { id: old.id }, body: patchOf(before, fields) }))
              .id
      return call('GET /api/memory/:id', { params: { id } })
    },
    forget: async ids => {
      for (let start = 0; start < ids.length; start += forgetBatch) {
        const target = { ids: ids.slice(start, start + forgetBatch) }
        const send = (body: Parameters<Parameters<typeof previewForget>[0]>[0]) =>
          call('POST /api/memory/forget', { body })
        const preview = await previewForget(send, target)
        await executeForget(send, {
          target,
          preview,
          reason: 'its file in a mirror was deleted',
          force: true,
        })
      }
    },
  }
}

function changesOf({ text, type, project, tags, pinned }: MirrorFields) {
  const changed = { content: text, type: type as RememberType, project: project ?? undefined, pinned, reason }
  return { ...changed, tags: [...tags] }
}

function patchOf(before: MirrorFields, { project, tags, pinned }: MirrorFields) {
  return {
    reason,
    ...(tags.join(',') !== before.tags.join(',') && { tags: tags.length > 0 ? [...tags] : null }),
    ...(project !== before.project && project !== null && { project }),
    ...(pinned !== before.pinned && { pinned }),
  }
}
