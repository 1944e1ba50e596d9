const split = (words: string) => words.split(' ')

/** So common in English that they are not indexed at all. */
export const indexStopWords: ReadonlySet<string> = new Set(
  split(
    'a an and are as at be but by for from had has have he her his i if in into is it its of on or our she so ' +
      'that the their them then there these they this to us was we were will with you your',
  ),
)

/** Also dropped from queries: the words that ask, which say nothing about the answer's text. */
export const queryStopWords: ReadonlySet<string> = new Set([
  ...indexStopWords,
  ...split(
    'what when where which who whom whose why how did do does done would could should might can may been being ' +
      'am not no any some',
  ),
])
