import { botUser, type FakeChannel, type FakeGuild, type World } from './world.js'

export interface Answer {
  status: number
  body: unknown
}

/** Errors with the API's own codes. */
const missingAccess: Answer = { status: 403, body: { message: 'Missing Access', code: 50001 } }
const unknown = (what: string, code: number): Answer => ({
  status: 404,
  body: { message: `Unknown ${what}`, code },
})
const ok = (body: unknown): Answer => ({ status: 200, body })

type Route = (world: World, ids: readonly string[], query: URLSearchParams) => Answer

/** Routes that a bot reads, by path pattern. */
const routes: readonly (readonly [RegExp, Route])[] = [
  [/^\/users\/@me$/u, () => ok(botUser)],
  [/^\/guilds\/(\d+)$/u, ofGuild(guild => ok({ id: guild.id, name: guild.name, roles: guild.roles }))],
  [/^\/guilds\/(\d+)\/channels$/u, ofGuild(guild => ok(listed(guild, ({ type }) => type < 10 || type > 12)))],
  [/^\/guilds\/(\d+)\/threads\/active$/u, ofGuild(activeThreads)],
  [/^\/guilds\/(\d+)\/members$/u, ofGuild(members)],
  [/^\/channels\/(\d+)$/u, ofChannel(channel => ok(channel.channel))],
  [/^\/channels\/(\d+)\/messages$/u, ofChannel(messages)],
  [/^\/channels\/(\d+)\/messages\/(\d+)$/u, ofChannel(message)],
  [/^\/channels\/(\d+)\/threads\/archived\/(public|private)$/u, ofChannel(archived)],
  [/^\/channels\/(\d+)\/users\/@me\/threads\/archived\/private$/u, ofChannel(joined)],
  [/^\/channels\/(\d+)\/thread-members$/u, ofChannel(threadMembers)],
]

/** The API's answer to a GET for the current world. */
export function answerTo(world: World, path: string, query: URLSearchParams): Answer {
  for (const [pattern, route] of routes) {
    const match = pattern.exec(path)
    if (match) return route(world, match.slice(1), query)
  }
  return { status: 404, body: { message: '404: Not Found', code: 0 } }
}

function ofGuild(route: (guild: FakeGuild, world: World, query: URLSearchParams) => Answer): Route {
  return (world, [id = ''], query) => {
    const guild = world.guilds.get(id)
    return guild ? route(guild, world, query) : unknown('Guild', 10004)
  }
}

interface RouteContext {
  world: World
  ids: readonly string[]
  query: URLSearchParams
}

function ofChannel(route: (channel: FakeChannel, asked: RouteContext) => Answer): Route {
  return (world, ids, query) => {
    const channel = world.find(ids[0] ?? '')
    if (!channel) return unknown('Channel', 10003)
    return channel.isForbidden ? missingAccess : route(channel, { world, ids, query })
  }
}

function listed(guild: FakeGuild, fits: (channel: FakeChannel['channel']) => boolean) {
  return [...guild.channels.values()].map(({ channel }) => channel).filter(fits)
}

const metadataOf = (channel: FakeChannel['channel']) =>
  (channel as { thread_metadata?: { archived: boolean; archive_timestamp: string } }).thread_metadata

function activeThreads(guild: FakeGuild): Answer {
  return ok({ threads: listed(guild, channel => metadataOf(channel)?.archived === false), members: [] })
}

/** Newest first, by the time of archiving. */
function archived(parent: FakeChannel, { world, ids, query }: RouteContext): Answer {
  const isPrivate = ids[1] === 'private'
  if (isPrivate && parent.hidesPrivateThreads) return missingAccess
  const before = query.get('before')
  const all = archivedBelow(parent, world, isPrivate)
    .filter(channel => !before || (metadataOf(channel)?.archive_timestamp ?? '') < before)
    .sort((a, b) => (metadataOf(a)!.archive_timestamp < metadataOf(b)!.archive_timestamp ? 1 : -1))
  return threadPage(all, query)
}

/** Threads that the bot was added to, newest ids first. */
function joined(parent: FakeChannel, { world, query }: RouteContext): Answer {
  const before = query.get('before')
  const all = archivedBelow(parent, world, true)
    .filter(({ id }) => world.find(id)?.threadMembers?.some(({ user_id }) => user_id === botUser.id))
    .filter(({ id }) => !before || BigInt(id) < BigInt(before))
    .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1))
  return threadPage(all, query)
}

function archivedBelow(parent: FakeChannel, world: World, isPrivate: boolean): FakeChannel['channel'][] {
  const guild = world.guildOf(parent.channel.id) as FakeGuild
  return listed(guild, channel => {
    const { parent_id: parentId } = channel as { parent_id?: string }
    const isArchived = metadataOf(channel)?.archived === true
    return parentId === parent.channel.id && isArchived && (channel.type === 12) === isPrivate
  })
}

function threadPage(all: readonly FakeChannel['channel'][], query: URLSearchParams): Answer {
  const limit = Number(query.get('limit') ?? 50)
  return ok({ threads: all.slice(0, limit), members: [], has_more: all.length > limit })
}

function members(guild: FakeGuild, _world: World, query: URLSearchParams): Answer {
  if (guild.hidesMembers) return missingAccess
  const after = BigInt(query.get('after') ?? 0)
  const all = guild.members
    .filter(({ user }) => BigInt(user.id) > after)
    .sort((a, b) => (BigInt(a.user.id) < BigInt(b.user.id) ? -1 : 1))
  return ok(all.slice(0, Number(query.get('limit') ?? 1)))
}

function threadMembers({ threadMembers: all = [] }: FakeChannel): Answer {
  return ok(all)
}

/** Always newest first; with `after`, the page starts right after that id. */
function messages(channel: FakeChannel, { world, query }: RouteContext): Answer {
  if (channel.hidesHistory) return ok([])
  const limit = Number(query.get('limit') ?? 50)
  const before = query.get('before')
  const after = query.get('after')
  const sorted = [...channel.messages].sort((a, b) => (BigInt(a.id!) < BigInt(b.id!) ? -1 : 1))
  const fitting = sorted.filter(
    ({ id }) => (!before || BigInt(id!) < BigInt(before)) && (!after || BigInt(id!) > BigInt(after)),
  )
  const page = after ? fitting.slice(0, limit) : fitting.slice(-limit)
  return ok(page.reverse().map(one => world.shown(one)))
}

function message(channel: FakeChannel, { world, ids }: RouteContext): Answer {
  if (channel.hidesHistory) return missingAccess
  const found = channel.messages.find(({ id }) => id === ids[1])
  return found ? ok(world.shown(found)) : unknown('Message', 10008)
}
