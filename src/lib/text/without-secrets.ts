/** What looks like a credential, by the form that its maker gives it or by the word before it. */
const secrets: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,10000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/gu,
  /\b(?:svc_sk_|sk-|sk_live_|rk_live_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|npm_|xox[abeprs]-|hf_|dop_v1_)[\w-]{16,}/gu,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/gu,
  /\bAIza[\w-]{30,}/gu,
  /\bpbkdf2-sha256\$\d+\$[\w+/=-]+\$[\w+/=-]+/gu,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/gu,
  /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{1,100}:)[^\s:@/]{1,200}(?=@)/giu,
  /(?<=\bbearer\s)[\w.~+/=-]{16,}/giu,
  /(?<=(?:\b|_)(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key)["']?\s{0,3}[:=]\s{0,3}["']?)[^\s"',;]{6,}/giu,
  /(?<=(?:\b|_)(?:password|passphrase|secret|token)["']?\s{0,3}(?:[:=]|\bis\b)\s{0,3}["']?)(?=[^\s"',;]*\d)[^\s"',;]{6,}/giu,
]

/**
 * The text with `[secret]` where a credential stands: what many read, and what may be committed, holds none.
 * @param shown what stands there instead of what was found
 */
export function withoutSecrets(text: string, shown: (found: string) => string = () => '[secret]'): string {
  return secrets.reduce((rest, pattern) => rest.replace(pattern, found => shown(found)), text)
}

/** How far a credential that begins in what is shown is looked for. */
const longestSecret = 500

/**
 * What of a text is to be looked through where only its beginning is shown: so many UTF-16 units, and those of a credential
 * that begins in them. Cut to the length afterwards it leaves no half of one; what is behind costs nothing.
 */
export function beginningOf(text: string, length: number): string {
  return text.slice(0, length + longestSecret)
}
