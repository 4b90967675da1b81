import type { Logger } from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import { carefulLogger } from '../src/lib/logger.ts'
import { generateApiKeyValue } from '../src/model/api-key-value.ts'

function logged(fields: object): string {
  const lines: object[] = []
  const write = (given: object) => void lines.push(given)
  const logger: Logger = carefulLogger({ debug: write, info: write, warn: write, error: write })
  logger.error(fields, 'something failed')
  return JSON.stringify(lines)
}

describe('the logger', () => {
  it('logs the type, message and code of an error and its causes', () => {
    const cause = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' })
    const line = logged({ quotation_id: 'q-1', err: new TypeError('no answer', { cause }) })
    for (const part of ['q-1', 'TypeError', 'no answer', 'connection refused', 'ECONNREFUSED'])
      expect(line).toContain(part)
  })

  it('never logs a key or a secret in a message, or other properties of an error', () => {
    const key = generateApiKeyValue().reveal()
    const err = Object.assign(new Error(`refused ${key} and whsec_c2VjcmV0c2VjcmV0`), {
      detail: 'row (secret)',
    })
    const line = logged({ err })
    expect(line).toContain('refused pk_*** and whsec_***')
    expect(line).not.toContain(key)
    expect(line).not.toContain('row (secret)')
  })

  it('drops the message of an error that contains query parameters', () => {
    const line = logged({
      err: Object.assign(new Error('Failed query … params: hunter2'), { params: ['hunter2'] }),
    })
    expect(line).not.toContain('hunter2')
  })
})

describe('a failing logger of the host', () => {
  const throws = () => {
    throw new Error('The disk is full.')
  }
  const rejects = (() => Promise.reject(new Error('The disk is full.'))) as unknown as () => void

  it.each([
    ['throws', throws],
    ['rejects', rejects],
  ])('that %s loses only the line, with one process warning', async (_, write) => {
    const warnings: string[] = []
    const listen = ({ message }: Error) => void warnings.push(message)
    process.on('warning', listen)
    const logger = carefulLogger({ debug: write, info: write, warn: write, error: write })

    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      logger[level]({ err: new Error('x') }, 'line')
    await new Promise(setImmediate)
    await new Promise(setImmediate)

    process.off('warning', listen)
    expect(warnings).toEqual(['The logger given to createIntegrations throws (Error): log lines are lost.'])
  })

  it('does not throw for an unreadable error', () => {
    const err = new Error('x')
    Object.defineProperty(err, 'message', { get: throws })
    expect(() => logged({ err })).not.toThrow()
  })
})
