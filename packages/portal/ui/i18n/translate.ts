import type { ComponentChildren } from 'preact'
import type { Message } from '../settings.ts'
import { de } from './de.ts'
import { type Catalog, en, type TextKey } from './en.ts'

type Values = Readonly<Record<string, string | number>>
type Overrides = Readonly<Record<string, Readonly<Record<string, Message>>>>

const CATALOGS: Readonly<Record<string, Catalog>> = { en, de }

export interface Translator {
  readonly locale: string
  /** The writing direction of the language. */
  readonly direction: 'ltr' | 'rtl'
  /** A text. `{count}` selects the plural form. */
  t(key: TextKey, values?: Values): string
  /** A text with elements for its placeholders. */
  rich(key: TextKey, values: Readonly<Record<string, ComponentChildren>>): ComponentChildren[]
  /** Whether a computed key exists. */
  has(key: string): key is TextKey
}

/**
 * @param wanted language tags by preference; English if none is available
 * @param overrides the host's own texts and languages, by tag
 */
export function createTranslator(wanted: readonly string[], overrides: Overrides = {}): Translator {
  const known: Readonly<Record<string, unknown>> = { ...overrides, ...CATALOGS, [PSEUDO]: en }
  const locale = wanted.find((tag) => languageOf(tag) in known || tag in known) ?? 'en'
  const language = locale in known ? locale : languageOf(locale)
  const catalog: Readonly<Record<string, Message>> = {
    ...en,
    ...(language === PSEUDO ? pseudo(en) : CATALOGS[language]),
    ...overrides[languageOf(locale)],
    ...overrides[locale],
  }
  const plurals = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)

  function find(key: string, count: unknown): string {
    const message = catalog[key] ?? key
    if (typeof message === 'string') return message
    return message[plurals.select(Number(count))] ?? message.other
  }

  return {
    locale,
    direction: directionOf(locale),
    t: (key, values = {}) =>
      find(key, values['count']).replace(PLACEHOLDER, (whole, name) => {
        const value = values[name]
        return typeof value === 'number' ? numbers.format(value) : (value ?? whole)
      }),
    rich: (key, values) =>
      find(key, values['count'])
        .split(/(\{\w+\})/)
        .map((part) => (part.startsWith('{') ? values[part.slice(1, -1)] : part)),
    has: (key): key is TextKey => key in catalog,
  }
}

/** Browsers have it under one of two names, or not yet. */
function directionOf(locale: string): 'ltr' | 'rtl' {
  const known = new Intl.Locale(locale) as Intl.Locale & {
    getTextInfo?: () => { direction?: string }
    textInfo?: { direction?: string }
  }
  const { direction } = known.getTextInfo?.() ?? known.textInfo ?? {}
  return direction === 'rtl' ? 'rtl' : 'ltr'
}

const PLACEHOLDER = /\{(\w+)\}/g
const languageOf = (tag: string) => tag.split('-')[0] ?? tag

/** A pseudo-language, longer and with accents, with which tests find overflows and missing translations. */
const PSEUDO = 'en-XA'

function pseudo(catalog: Readonly<Record<string, Message>>): Record<string, Message> {
  const stretch = (text: string) =>
    `[${text.replace(/\{\w+\}|[aeiou]/g, (found) => (found.length > 1 ? found : (ACCENTED[found] ?? found)))}${' ~'.repeat(text.length / 8)}]`
  return Object.fromEntries(
    Object.entries(catalog).map(([key, message]) => [
      key,
      typeof message === 'string' ? stretch(message) : { other: stretch(message.other) },
    ]),
  )
}

const ACCENTED: Readonly<Record<string, string>> = { a: 'áá', e: 'éé', i: 'íí', o: 'óó', u: 'úú' }
