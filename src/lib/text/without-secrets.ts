/** Patterns of credentials, recognized by their vendor's format or by the word before them. */
const secrets: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[\s\S]{0,10000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)|[\w+/=\s\\:,-]{0,20000})/gu,
  /\b(?:svc_sk_|sk-|sk_live_|sk_test_|rk_live_|rk_test_|whsec_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|npm_|pypi-|xox[abeprs]-|hf_|gsk_|xai-|shpat_|glsa_|dop_v1_|ya29\.)[\w-]{16,}/gu,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/gu,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/gu,
  /\bAIza[\w-]{30,}/gu,
  /\bpbkdf2-sha256\$\d+\$[\w+/=-]+\$[\w+/=-]+/gu,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/gu,
  /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{0,100}:)[^\s:@/]{1,200}(?=@)/giu,
  /(?<=\bbearer\s)[\w.~+/=-]{16,}/giu,
  /(?<=\bauthorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:basic|bearer|token|digest|apikey)\s)[^\s"'\\]{6,}/giu,
  /(?<=(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|CREDENTIALS?|KEY)(?:_[A-Z\d_]{1,40})?=\\?["']?)(?![$/[])[^\s"';\\]{6,}/gu,
  /(?<=\s--(?:password|passphrase|token|secret|api-key)\s["']?)(?![-$/[])[^\s"']{6,}/gu,
  /(?<=(?:\b|_)(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)[^\s"',;\\]{6,}/giu,
  /(?<=(?:\b|_)(?:password|passphrase|secret|token)\\?["']?\s{0,3}(?:[:=]|\bis\b)\s{0,3}\\?["']?)(?=[^\s"',;\\]*\d)[^\s"',;\\]{6,}/giu,
]

/**
 * Replaces credentials with `[secret]`, for texts that many people read or that may be committed.
 * @param shown returns the replacement for a match
 */
export function withoutSecrets(text: string, shown: (found: string) => string = () => '[secret]'): string {
  return secrets.reduce((rest, pattern) => rest.replace(pattern, found => shown(found)), text)
}

/** Longest credential that is searched for beyond the end of an excerpt. */
const longestSecret = 500

/**
 * Returns the part of a text to search for secrets when only its first `length` UTF-16 units are shown. It
 * includes the rest of a credential that begins in them, so that a later cut leaves no half of one. The
 * remainder is not searched.
 */
export function beginningOf(text: string, length: number): string {
  return text.slice(0, length + longestSecret)
}
