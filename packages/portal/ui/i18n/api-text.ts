import { en, type TextKey } from './en.ts'

/** The beginnings of the keys of sentences that the API writes, always in English and always in the same words. */
type Area = keyof typeof BEGINNINGS
const BEGINNINGS = { cause: 'cause.', conflict: 'conflict.' } as const

/** Of a translator. */
interface Texts {
  t(key: TextKey, values?: Readonly<Record<string, string>>): string
  has(key: string): key is TextKey
}

interface Known {
  readonly key: TextKey
  readonly values: Readonly<Record<string, string>>
}

/** A sentence of the API in the reader's language. One that is not known, such as of a newer service, stays as it is. */
export function apiText({ t, has }: Texts, area: Area, sentence: string): string {
  const known = knownText(area, sentence)
  if (known === null) return sentence
  const values = Object.entries(known.values).map(([name, value]) => {
    if (name === 'cause') return [name, apiText({ t, has }, area, value)]
    const word = [`keys.status.${value}`, `detail: ${value}`].find(has)
    return [name, word !== undefined && has(word) ? t(word) : value]
  })
  return t(known.key, Object.fromEntries(values))
}

/** Which of them it is, and what is in it. */
export function knownText(area: Area, sentence: string): Known | null {
  for (const [key, text] of Object.entries(en)) {
    if (!key.startsWith(BEGINNINGS[area])) continue
    const values = valuesOf(String(text), sentence)
    if (values !== null) return { key: key as TextKey, values }
  }
  return null
}

/** What a sentence has for the placeholders of a text; null if it is another text. */
function valuesOf(text: string, sentence: string): Record<string, string> | null {
  const [head = '', ...rest] = text.split(/\{(\w+)\}/)
  if (!sentence.startsWith(head)) return null
  const values: Record<string, string> = {}
  let at = head.length
  for (let index = 0; index < rest.length; index += 2) {
    const [name = '', literal = ''] = rest.slice(index)
    const isLast = index + 2 >= rest.length
    const end = isLast ? sentence.length - literal.length : sentence.indexOf(literal, at)
    if (end < at || !sentence.startsWith(literal, end)) return null
    values[name] = sentence.slice(at, end)
    at = end + literal.length
  }
  return at === sentence.length ? values : null
}
