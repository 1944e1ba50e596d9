import { isFault } from '../../../../ground/fetch/api-fault.js'
import type { SourceEvent } from '../../core/kind.js'
import { memberArtifact } from './artifacts.js'
import { goneBetween } from './known-paths.js'
import type { Listing } from './list.js'
import { nameOf } from './names.js'
import { membersPath } from './paths.js'
import type { Reading } from './reading.js'
import { tellIfChanged } from './tell-message.js'

const memberIntent =
  'switch on Server Members Intent for the bot in the developer portal of Discord (Bot, Privileged Gateway Intents)'

/** Tells the members of a server; those that a whole page of ids does not name any more are gone. */
export async function* readMembers(
  reading: Reading,
  { guild, names }: Pick<Listing, 'guild' | 'names'>,
): AsyncGenerator<SourceEvent> {
  try {
    for (let after: string | undefined; ; ) {
      reading.pass.signal.throwIfAborted()
      const { members, hasMore } = await reading.client.members(guild, after)
      for (const member of members) yield* tellIfChanged(reading, memberArtifact(guild, member, names))
      const last = members.at(-1)?.user.id
      // A server has a member at least: the bot. An empty list is none.
      if (!last || last === after) return
      const listed = new Set(members.map(({ user }) => user.id))
      const before = hasMore ? last : undefined
      yield* goneBetween(reading.pass, membersPath(guild), { after: after ?? '0', before, listed })
      if (!hasMore) return
      after = last
    }
  } catch (error) {
    if (!isFault(error, 'forbidden', 'missing')) throw error
    yield {
      event: 'fault',
      path: membersPath(guild),
      message: `the members of the server were left out: ${error.message}`,
      isRecoverable: true,
      guidance: memberIntent,
    }
  }
}

/** The names of those in a thread. @returns none where they are not shown, which is told */
export async function* threadMembers(
  { client, pass }: Reading,
  thread: { id: string; path: string },
): AsyncGenerator<SourceEvent, string[]> {
  const names: string[] = []
  try {
    for (let after: string | undefined; ; ) {
      pass.signal.throwIfAborted()
      const { members, last } = await client.threadMembers(thread.id, after)
      names.push(...members.map(({ user, nick }) => nameOf(user, nick)))
      if (!last || last === after) return names
      after = last
    }
  } catch (error) {
    if (!isFault(error, 'forbidden', 'missing')) throw error
    yield {
      event: 'fault',
      path: `${thread.path}/members`,
      message: `the members of a thread were left out: ${error.message}`,
      isRecoverable: true,
      guidance: memberIntent,
    }
    return names
  }
}
