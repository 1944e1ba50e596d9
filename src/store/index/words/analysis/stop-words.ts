const split = (words: string) => words.split(' ')

/** Not indexed at all, since they are too common in English. */
export const indexStopWords: ReadonlySet<string> = new Set(
  split(
    'a an and are as at be but by for from had has have he her his i if in into is it its of on or our she so ' +
      'that the their them then there these they this to us was we were will with you your',
  ),
)

/** Also dropped from queries: question words say nothing about the answer's text. */
export const queryStopWords: ReadonlySet<string> = new Set([
  ...indexStopWords,
  ...split(
    'what when where which who whom whose why how did do does done would could should might can may been being ' +
      'am not no any some',
  ),
])

/**
 * Common words of questions and tasks. They rarely name the subject but sometimes do ("the way home"), so
 * they count less instead of nothing.
 */
export const weakQueryWords: readonly string[] = split(
  'about after again all also always another any anybody anyone anything around because before between both cannot ' +
    'could each either else ever every everybody everyone everything few get gets getting give given gives giving go ' +
    'going got help here just keep know let lets like look looking lot made make makes making many me mine more most ' +
    'much must my myself need needed needs neither never nobody nor nothing now off once one ones only other others ' +
    'out over own please possible put really same say see seem set shall show since so somebody someone something ' +
    'somehow somewhere still such take tell than thing things think through too try trying under until up us use ' +
    'used uses using very via want wanted wants way ways well were while whole within without work works yes yet',
)
