import { ConfigurationError } from '@quickquote/core'
import { expect, it } from 'vitest'

/** A value that no error may repeat. */
export const PASSWORD = 'hunter2'

/** The message with which wrong options are refused. */
export async function refusalOf(call: () => unknown): Promise<string> {
  try {
    await call()
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
  throw new Error('Nothing was refused.')
}

/**
 * Tests that wrong options are refused, and that every option is among them.
 * @param start is called with the wrong options, and adds those that are required
 * @param wrong each with a part of its refusal
 * @param options.owner how every refusal begins
 * @param options.untried options that somebody else checks
 */
export function itRefuses(
  start: (wrong: object) => unknown,
  wrong: readonly (readonly [options: object, message: RegExp | string])[],
  { owner = '', untried = [] }: { readonly owner?: string; readonly untried?: readonly string[] } = {},
): void {
  it.each(wrong)('refuses %j: %s', async (options, message) => {
    const refusal = await refusalOf(() => start(options))
    expect(refusal).toMatch(message)
    expect(refusal.slice(0, owner.length)).toBe(owner)
    expect(refusal).not.toContain(PASSWORD)
  })

  it('refuses a wrong value of every option', async () => {
    // The refusal of an unknown option lists all of them.
    const refusal = await refusalOf(() => start({ '': 1 }))
    const names = refusal.replace(/^.*Options: |\.$/g, '').split(', ')
    const tried = new Set(wrong.flatMap(([options]) => Object.keys(options)))
    expect(names.filter((name) => !tried.has(name))).toEqual(untried)
  })
}
