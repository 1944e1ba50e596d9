import { isFault } from '../../../../ground/fetch/api-fault.js'
import type { SourceEvent } from '../../core/kind.js'
import { memberArtifact } from './artifacts.js'
import { removeUnlisted } from './known-paths.js'
import type { GuildListing } from './list.js'
import { nameOf } from './names.js'
import { membersPath } from './paths.js'
import type { GuildPass } from './reading.js'
import { reportArtifact } from './tell-message.js'

const memberIntent =
  'switch on Server Members Intent for the bot in the developer portal of Discord (Bot, Privileged Gateway Intents)'

/** Reports the members of a server and removes those missing from a complete page of ids. */
export async function* readMembers(
  reading: GuildPass,
  { guild, names }: Pick<GuildListing, 'guild' | 'names'>,
): AsyncGenerator<SourceEvent> {
  try {
    for (let after: string | undefined; ; ) {
      reading.pass.signal.throwIfAborted()
      const { members, hasMore } = await reading.client.members(guild, after)
      for (const member of members) yield* reportArtifact(reading, memberArtifact(guild, member, names))
      const last = members.at(-1)?.user.id
      // A server always has at least the bot as member, so an empty list is not valid.
      if (!last || last === after) return
      const listed = new Set(members.map(({ user }) => user.id))
      const before = hasMore ? last : undefined
      yield* removeUnlisted(reading.pass, membersPath(guild), { after: after ?? '0', before, listed })
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

/**
 * Returns the names of a thread's members.
 * @returns an empty list if the bot may not see them, which is reported
 */
export async function* threadMembers(
  { client, pass }: GuildPass,
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
