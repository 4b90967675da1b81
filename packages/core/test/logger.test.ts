import { generateApiKeyValue, type Logger } from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import { carefulLogger } from '../src/logger.ts'

function logged(fields: object): string {
  const lines: object[] = []
  const write = (given: object) => void lines.push(given)
  const logger: Logger = carefulLogger({ debug: write, info: write, warn: write, error: write })
  logger.error(fields, 'something failed')
  return JSON.stringify(lines)
}

describe('the logger', () => {
  it('tells kind, message and code of an error, and of its causes', () => {
    const cause = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' })
    const line = logged({ quotation_id: 'q-1', err: new TypeError('no answer', { cause }) })
    for (const part of ['q-1', 'TypeError', 'no answer', 'connection refused', 'ECONNREFUSED'])
      expect(line).toContain(part)
  })

  it('never passes on a key or a secret in a message, or anything else that hangs on an error', () => {
    const key = generateApiKeyValue().reveal()
    const err = Object.assign(new Error(`refused ${key} and whsec_c2VjcmV0c2VjcmV0`), {
      detail: 'row (secret)',
    })
    const line = logged({ err })
    expect(line).toContain('refused pk_*** and whsec_***')
    expect(line).not.toContain(key)
    expect(line).not.toContain('row (secret)')
  })

  it('drops the message of an error that holds the parameters of a query', () => {
    const line = logged({
      err: Object.assign(new Error('Failed query … params: hunter2'), { params: ['hunter2'] }),
    })
    expect(line).not.toContain('hunter2')
  })
})
