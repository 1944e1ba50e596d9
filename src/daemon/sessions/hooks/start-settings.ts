import type { Settings } from '../../../contract/settings.js'

/** Settings for the start of a session of one harness. */
export interface StartSettings {
  recallLimit: number
  maxInjectTokens: number
  recencyBias: number
  includeIdentity: boolean
  includeRecentContext: boolean
  continuity: { maxEntries: number; maxTokens: number; entryMaxTokens: number }
  /** From the profile; undefined means IDENTITY.md in one line. */
  identityFiles: readonly { path: string; maxChars?: number | undefined }[] | undefined
}

/** Returns the session-start settings of a harness; values of its profile take precedence (rules.md 4.12). */
export function startSettings(settings: Settings, harness: string): StartSettings {
  const { hooks, harnessProfiles, contextProfiles, capabilities } = settings
  const general = hooks.sessionStart
  const profileName = Object.hasOwn(harnessProfiles, harness) ? harnessProfiles[harness] : undefined
  const profile =
    profileName !== undefined && Object.hasOwn(contextProfiles, profileName)
      ? contextProfiles[profileName]?.sessionStart
      : undefined
  return {
    recallLimit: profile?.recallLimit ?? general.recallLimit,
    maxInjectTokens: profile?.maxInjectTokens ?? general.maxInjectTokens ?? settings.context.tokens,
    recencyBias: general.recencyBias,
    includeIdentity: general.includeIdentity && capabilities.identity.mode === 'managed',
    includeRecentContext: general.includeRecentContext,
    continuity: {
      maxEntries: general.sessionContinuityMaxEntries,
      maxTokens: general.sessionContinuityMaxTokens,
      entryMaxTokens: general.sessionContinuityEntryMaxTokens,
    },
    identityFiles: profile?.identity?.files,
  }
}
