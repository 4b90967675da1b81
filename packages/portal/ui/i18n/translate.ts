import type { ComponentChildren } from 'preact'
import type { Message } from '../settings.ts'
import { type Catalog, en, type TextKey } from './en.ts'

type Values = Readonly<Record<string, string | number>>
type Overrides = Readonly<Record<string, Readonly<Record<string, Message>>>>

/** Those that are loaded. */
const CATALOGS: Record<string, Catalog> = { en }

/** The languages that there are besides the host's own. */
const LANGUAGES = ['en', 'de']

export function addCatalog(language: string, catalog: Catalog): void {
  CATALOGS[language] = catalog
}

/** The first wanted language that there is; English if there is none. */
export function localeOf(wanted: readonly string[], overrides: Overrides = {}): string {
  const known = [...LANGUAGES, ...Object.keys(overrides), PSEUDO]
  return wanted.find((tag) => known.includes(languageOf(tag)) || known.includes(tag)) ?? 'en'
}

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
  /** The texts so far that the language does not have, so that they are English; null: it has all. */
  readonly english: ReadonlySet<string> | null
}

/**
 * @param wanted language tags by preference; English if none is available
 * @param overrides the host's own texts and languages, by tag
 */
export function createTranslator(wanted: readonly string[], overrides: Overrides = {}): Translator {
  const locale = localeOf(wanted, overrides)
  const own: Readonly<Record<string, Message>> = {
    ...(locale === PSEUDO ? pseudo(en) : CATALOGS[languageOf(locale)]),
    ...overrides[languageOf(locale)],
    ...overrides[locale],
  }
  const catalog: Readonly<Record<string, Message>> = { ...en, ...own }
  const english = Object.keys(en).every((key) => key in own) ? null : new Set<string>()
  const plurals = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)

  function find(key: string, count: unknown): string {
    const message = catalog[key] ?? key
    if (typeof message === 'string') return message
    return message[plurals.select(Number(count))] ?? message.other
  }

  /** Remembers it, if it has no translation. */
  function said(key: string, text: string): string {
    if (english !== null && !(key in own)) {
      if (english.size >= MOST_ENGLISH) english.clear()
      english.add(text.trim())
    }
    return text
  }

  return {
    locale,
    direction: directionOf(locale),
    english,
    t: (key, values = {}) =>
      said(
        key,
        find(key, values['count']).replace(PLACEHOLDER, (whole, name) => {
          const value = values[name]
          return typeof value === 'number' ? numbers.format(value) : (value ?? whole)
        }),
      ),
    rich: (key, values) =>
      find(key, values['count'])
        .split(/(\{\w+\})/)
        .map((part) => (part.startsWith('{') ? values[part.slice(1, -1)] : said(key, part))),
    has: (key): key is TextKey => key in catalog,
  }
}

/** The scripts that are written from right to left. Firefox knows the direction of a language only from 141 on. */
const RIGHT_TO_LEFT = ['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']

function directionOf(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(new Intl.Locale(locale).maximize().script ?? '') ? 'rtl' : 'ltr'
}

/** There are ever new ones with numbers in them. Those that are shown are said again. */
const MOST_ENGLISH = 2000

const PLACEHOLDER = /\{(\w+)\}/g
export const languageOf = (tag: string) => tag.split('-')[0] ?? tag

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
