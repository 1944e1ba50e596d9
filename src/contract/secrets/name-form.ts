/** What an environment variable may be called (secrets.md#names-and-values); no zod here, so that commands can ask too. */
export const nameForm = /^[A-Za-z_][A-Za-z0-9_]*$/

/** What is wrong with another name. It is not repeated: somebody may have given the value as the name. */
export const nameFault =
  'a name of a secret has letters, digits and _ only and begins with no digit, such as OPENAI_API_KEY'
