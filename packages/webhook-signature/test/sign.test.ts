import { createHmac } from 'node:crypto'
import { headerNames, importSecret, sign, signWith } from '@quickquote/webhook-signature'
import { describe, expect, it } from 'vitest'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw0zJmuqz4kT1xE='
const timestamp = 1_795_264_980

describe('sign', () => {
  it('signs bytes that are not text unchanged', async () => {
    const body = Uint8Array.of(0xff, 0x00, 0xfe, 0x80)
    const hex = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
    expect(await sign({ secret, timestamp, body })).toBe(`v1=${hex}`)
  })

  it('returns the same for text, bytes, a view into a larger buffer, and an ArrayBuffer', async () => {
    const text = '{"größe":1}'
    const bytes = new TextEncoder().encode(text)
    const larger = new Uint8Array(bytes.length + 20).fill(7)
    larger.set(bytes, 10)
    const bodies = [bytes, larger.subarray(10, 10 + bytes.length), Buffer.from(text), bytes.buffer]
    const expected = await sign({ secret, timestamp, body: text })
    for (const body of bodies) expect(await sign({ secret, timestamp, body })).toBe(expected)
  })

  it('returns the same with an imported secret, which is reusable and reveals nothing', async () => {
    const key = await importSecret(secret)
    const expected = await sign({ secret, timestamp, body: 'a' })
    expect(await sign({ secret: key, timestamp, body: 'a' })).toBe(expected)
    expect(await sign({ secret: key, timestamp, body: 'b' })).not.toBe(expected)
    expect(await sign({ secret: key, timestamp, body: 'a' })).toBe(expected)
    expect(JSON.stringify(key)).toBe('{}')
  })

  it.each([timestamp + 0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, timestamp * 1000])(
    'refuses a timestamp that is not in whole seconds: %s',
    async (wrong) => {
      await expect(sign({ secret, timestamp: wrong, body: '' })).rejects.toThrow(TypeError)
    },
  )

  it('refuses an empty secret, such as an unset environment variable', async () => {
    await expect(sign({ secret: '', timestamp, body: '' })).rejects.toThrow('missing or empty')
    await expect(importSecret('')).rejects.toThrow('missing or empty')
  })
})

describe('signWith', () => {
  const hmac = (content: string) => createHmac('sha256', secret).update(content).digest('hex')

  it.each(['{"größe":1}', '', 'a lone \ud800 surrogate'])('returns the same as sign: %j', async (body) => {
    expect(signWith({ hmac, timestamp, body })).toBe(await sign({ secret, timestamp, body }))
  })

  it('refuses a timestamp that is not in whole seconds', () => {
    expect(() => signWith({ hmac, timestamp: timestamp + 0.5, body: '' })).toThrow(TypeError)
  })
})

describe('headerNames', () => {
  it('are the five of the specification, with the neutral word Service, and one for rotations', () => {
    expect(headerNames()).toEqual({
      contentType: 'Content-Type',
      eventId: 'X-Service-Event-Id',
      eventType: 'X-Service-Event-Type',
      eventSequence: 'X-Service-Event-Sequence',
      timestamp: 'X-Service-Timestamp',
      signature: 'X-Service-Signature',
      previousSignature: 'X-Service-Signature-Previous',
    })
  })

  it('carry the name of the product', () => {
    expect(headerNames('Acme').signature).toBe('X-Acme-Signature')
    expect(headerNames('Acme-Quotes').eventId).toBe('X-Acme-Quotes-Event-Id')
  })

  it.each(['', '-', 'A-', 'Acme Inc', 'Acme:', 'Ac\r\nme', 'Größe'])('refuse %j', (prefix) => {
    expect(() => headerNames(prefix)).toThrow(TypeError)
  })
})
