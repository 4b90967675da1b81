import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AUDIT_ACTIONS, CHECK_VERDICTS } from '@quickquote/core/internal'
import { describe, expect, it } from 'vitest'
import { de } from '../ui/i18n/de.ts'
import { en } from '../ui/i18n/en.ts'

const UI = resolve(import.meta.dirname, '../ui')
const KEYS = Object.keys(en) as (keyof typeof en)[]

/** The bundled languages besides English. */
const OTHERS = { de }

/** The form with all values: a singular may omit its number. */
const wholeOf = (message: string | { other: string }) =>
  typeof message === 'string' ? message : message.other
const placeholdersOf = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

/** The texts of the screens: whole keys, and the beginnings of combined ones. */
function used(): { whole: ReadonlySet<string>; beginnings: readonly string[] } {
  const sources = readdirSync(UI, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/^i18n.(?:en|de)\.ts$/.test(name))
    .map((name) => readFileSync(join(UI, name), 'utf8'))
    .join('\n')
  return {
    whole: new Set([...sources.matchAll(/'([\w.-]+)'/g)].map(([, key = '']) => key)),
    beginnings: [...sources.matchAll(/`([\w.-]+)\$\{|startsWith\('(check\.[\w.]+)'\)/g)].map(
      ([, combined, beginning = '']) => combined ?? beginning,
    ),
  }
}

describe('The texts of the portal', () => {
  it.each(Object.entries(OTHERS))('in %s: are complete, with the same values in them', (_, texts) => {
    for (const key of KEYS) {
      expect(placeholdersOf(wholeOf(texts[key])), key).toEqual(placeholdersOf(wholeOf(en[key])))
      expect(wholeOf(texts[key]).trim(), key).not.toBe('')
    }
  })

  it('have no unused key', () => {
    const { whole, beginnings } = used()
    const isUsed = (key: string) =>
      whole.has(key) || beginnings.some((beginning) => key.startsWith(beginning))
    expect(KEYS.filter((key) => !isUsed(key))).toEqual([])
  })

  it('have each verdict of a receiver check, in English word by word, so that it can be translated', () => {
    const texts = Object.entries(en).filter(([key]) => key.startsWith('check.verdict.'))
    const verdicts = Object.entries(CHECK_VERDICTS)
    expect(texts).toEqual(verdicts.map(([verdict, text]) => [`check.verdict.${verdict}`, text]))
  })

  it('name every action of the audit log', () => {
    const wanted = AUDIT_ACTIONS.flatMap((action) => [`audit.${action}`, `audit.filter.${action}`])
    expect(wanted.filter((key) => !(key in en))).toEqual([])
    expect(KEYS.filter((key) => key.startsWith('audit.filter.'))).toHaveLength(AUDIT_ACTIONS.length)
  })
})
