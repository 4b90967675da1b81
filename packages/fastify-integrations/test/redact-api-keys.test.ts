import { describe, expect, it } from 'vitest'
import { redactApiKeys } from '../src/index.ts'

const KEY = 'pk_352TdGtAzCxWWNVw9ChN1ihps9V1EZtV5tTqQq3Y9Xk0Ks4jb'

/** Each character percent-encoded, and that again. */
function encoded(text: string, times: number): string {
  if (times === 0) return text
  const once = [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')
  return Array.from({ length: times - 1 }).reduce<string>((form) => form.replaceAll('%', '%25'), once)
}

describe('redactApiKeys', () => {
  it.each([
    ['/a/b?x=1&y=2', '/a/b?x=1&y=2'],
    ['/a', '/a'],
    ['', ''],
    ['/a?', '/a?'],
    [`/a?q=${KEY}`, '/a?q=[redacted]'],
    [`/a?q=before${KEY}after&b=1`, '/a?q=[redacted]&b=1'],
    [`/a?q=${KEY.replace('_', '%5f')}`, '/a?q=[redacted]'],
    [`/a?${KEY}`, '/a?[redacted]'],
    [`/a?${KEY}=1`, '/a?[redacted]'],
    [`/a/${KEY}/b`, '/a/[redacted]/b'],
    ['/a?API_Key=whatever=1&b=%zz', '/a?API_Key=[redacted]&b=%zz'],
    ['/a;token=whatever', '/a;token=[redacted]'],
    ['/a?x=1;token=whatever', '/a?x=1&token=[redacted]'],
    ['/a?tok%65n=whatever', '/a?tok%65n=[redacted]'],
    ['/a?keyboard=1&pk_short', '/a?keyboard=1&pk_short'],
    [`/%zz/${KEY}?x=%zz`, '/%zz/[redacted]?x=%zz'],
    [`/%zz?api_key=${KEY}`, '/%zz?api_key=[redacted]'],
    [`/a?q=${encoded(KEY, 2)}`, '/a?q=[redacted]'],
    [`/a/${encoded(KEY, 3)}/b`, '/a/[redacted]/b'],
    [`/a/%70k_${KEY.slice(3)}`, '/a/[redacted]'],
    [`/a/x%2f${encoded(KEY, 1)}`, '/a/[redacted]'],
    ['/a?tok%2565n=whatever', '/a?tok%2565n=[redacted]'],
    [`/a/${encoded(KEY, 4)}`, `/a/${encoded(KEY, 4)}`],
  ])('%s', (url, redacted) => {
    expect(redactApiKeys(url)).toBe(redacted)
  })
})
