/** Longest address of a source. */
const maxSource = 500

/** What a part of a repository's address consists of. */
const part = '[A-Za-z0-9_][A-Za-z0-9._-]*'
const host = '[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?'
const path = `${part}(?:/${part})*`
/** A branch, tag or commit behind `#`, or one skill of several behind `@`. */
const choice = `(?:[#@]${path})*`

/** The name of a package, with its scope; a repository, with a path in it; a repository by its address. */
const forms = [
  `(?:@${part}/)?${part}${choice}`,
  `(?:github:|gitlab:)?${part}/${path}${choice}`,
  `https://${host}(?::\\d{1,5})?(?:/${path})?/?${choice}`,
  `(?:ssh://)?git@${host}[:/]${path}${choice}`,
].map(form => new RegExp(`^${form}$`, 'u'))

/**
 * Why a text is no source of skills; undefined when it is one. Folders of this machine, addresses with a password in
 * them, options and other protocols are none: git and ssh would act on some of them (skills.md 5).
 */
export function sourceFault(text: string): string | undefined {
  const isSource = text.length <= maxSource && !text.includes('..') && forms.some(form => form.test(text))
  if (isSource) return undefined
  return 'is no source of skills: owner/repository, owner/repository/path, https://host/path, git@host:path, or the name of a package'
}
