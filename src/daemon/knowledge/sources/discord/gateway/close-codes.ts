/** What the end of a connection means for the next one. */
export type NextStep = 'resume' | 'identify' | 'never'

/** Codes after which no connection can be made until a person has done something, with what that is. */
export const fatalCodes: Readonly<Record<number, string>> = {
  4004: 'Discord refuses the token: reset it in the developer portal and store it with memory secrets set',
  4010: 'Discord refuses the shard',
  4011: 'the bot is in so many servers that Discord wants it in shards, which this source does not do: use --mode rest',
  4012: 'Discord no longer speaks this version of its gateway: update memory-service',
  4013: 'Discord does not know the intents that are asked for: update memory-service',
  4014: 'an intent is not switched on: in the developer portal of Discord, under Bot, Privileged Gateway Intents, switch on Message Content Intent, and Server Members Intent where members are read',
}

/** After these the session is over: what was missed comes from the API. */
const endedSessions = new Set([4003, 4007, 4009])

/** What to do after a close; a connection that broke without one is resumed. */
export function stepAfter(code: number): NextStep {
  if (code in fatalCodes) return 'never'
  return endedSessions.has(code) ? 'identify' : 'resume'
}
