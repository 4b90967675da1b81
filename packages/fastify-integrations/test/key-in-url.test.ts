import { describe, expect, it } from 'vitest'
import { redactApiKeys } from '../src/index.ts'

const KEY = 'pk_352TdGtAzCxWWNVw9ChN1ihps9V1EZtV5tTqQq3Y9Xk0Ks4jb'

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
  ])('%s', (url, redacted) => {
    expect(redactApiKeys(url)).toBe(redacted)
  })
})
