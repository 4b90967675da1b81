import { ConfigurationError } from '@quickquote/core'

/** The message with which wrong options are refused. */
export function refusalOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
  throw new Error('Nothing was refused.')
}

/**
 * The options that no test has tried.
 * @param refusal of an unknown option: it lists all options
 * @param wrong the options that tests expect to be refused
 */
export function untriedOptions(refusal: string, wrong: readonly object[]): string[] {
  const names = refusal.replace(/^.*Options: |\.$/g, '').split(', ')
  const tried = new Set(wrong.flatMap((each) => Object.keys(each)))
  return names.filter((name) => !tried.has(name))
}
