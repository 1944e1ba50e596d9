import type { Settings } from '../../../contract/settings.js'

/** What a session of one harness starts with. */
export interface StartSettings {
  recallLimit: number
  maxInjectTokens: number
  recencyBias: number
  includeIdentity: boolean
  includeRecentContext: boolean
  continuity: { maxEntries: number; maxTokens: number; entryMaxTokens: number }
  /** Of the profile; undefined: IDENTITY.md in one line. */
  identityFiles: readonly { path: string; maxChars?: number | undefined }[] | undefined
}

/** The settings of session start for a harness: its profile's where that says something (rules.md 4.12). */
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
    maxInjectTokens: profile?.maxInjectTokens ?? general.maxInjectTokens,
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
