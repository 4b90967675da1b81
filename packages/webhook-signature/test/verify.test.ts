import { importSecret, sign, type VerifyOptions, verify } from '@quickquote/webhook-signature'
import { beforeAll, describe, expect, it } from 'vitest'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw0zJmuqz4kT1xE='
const timestamp = '1795264980'
const now = new Date(1_795_264_980_000)
const payload = {
  id: 'evt_0193a5c2-7b1e-7f3a-8c4d-2e5f6a7b8c9d',
  type: 'quotation.completed',
  created_at: '2026-11-21T12:43:00.000Z',
  organization_id: '9e8d7c6b-5a4f-4e3d-8c2b-1a0f9e8d7c6b',
  data: {
    quotation_id: '5b1f7d2e-3c4a-4f6b-9a8d-1e2f3a4b5c6d',
    proposal_id: null,
    step: 'proposal',
    status: 'completed',
    error_code: null,
    generation_source: 'api_key',
  },
}
const body = JSON.stringify(payload)
const bytes = new TextEncoder().encode(body)
let signature: string

beforeAll(async () => {
  signature = await sign({ secret, timestamp: Number(timestamp), body })
})

/** Values that plain JavaScript may pass. */
function untyped(options: object): VerifyOptions {
  return options as VerifyOptions
}

describe('headers', () => {
  const names = { timestamp: 'X-Acme-Timestamp', signature: 'X-Acme-Signature' }

  it.each([
    ['Fetch Headers', () => new Headers({ [names.timestamp]: timestamp, [names.signature]: signature })],
    ["Node's lowercase", () => ({ 'x-acme-timestamp': timestamp, 'x-acme-signature': signature })],
    ['any case', () => ({ 'X-ACME-timestamp': timestamp, 'x-Acme-SIGNATURE': signature })],
    ['lists', () => ({ 'x-acme-timestamp': [timestamp], 'x-acme-signature': [signature] })],
    [
      'a repeated signature',
      () => ({ 'x-acme-timestamp': timestamp, 'x-acme-signature': [`v2=0`, signature] }),
    ],
  ])('of the sender are found: %s', async (_, headers) => {
    expect(await verify({ headers: headers(), headerPrefix: 'Acme', body, secrets: secret, now })).toEqual(
      payload,
    )
  })

  it('of another product are not', async () => {
    const headers = { 'x-acme-timestamp': timestamp, 'x-acme-signature': signature }
    await expect(verify({ headers, body, secrets: secret, now })).rejects.toMatchObject({
      code: 'MISSING_HEADER',
      message: 'The header X-Service-Timestamp is missing',
    })
  })

  it('a repeated timestamp is refused', async () => {
    const headers = { 'x-service-timestamp': [timestamp, timestamp], 'x-service-signature': signature }
    await expect(verify({ headers, body, secrets: secret, now })).rejects.toMatchObject({
      code: 'MALFORMED_TIMESTAMP',
    })
  })

  it('can be given as values; an absent one is missing', async () => {
    expect(await verify({ signature, timestamp, body, secrets: secret, now })).toEqual(payload)
    for (const absent of [undefined, null, '', []]) {
      await expect(
        verify({ signature: absent, timestamp, body, secrets: secret, now }),
      ).rejects.toMatchObject({ code: 'MISSING_HEADER' })
    }
  })
})

describe('body', () => {
  it.each([
    ['text', () => body],
    ['bytes', () => bytes],
    ['a Buffer', () => Buffer.from(body)],
    ['an ArrayBuffer', () => bytes.slice().buffer],
  ])('may be %s', async (_, raw) => {
    expect(await verify({ signature, timestamp, body: raw(), secrets: secret, now })).toEqual(payload)
  })

  it.each([
    ['an object', payload],
    ['a list', [payload]],
    ['nothing', undefined],
    ['null', null],
    ['a number', 5],
  ])('that was already parsed is refused with the reason: %s (rule 1)', async (_, parsed) => {
    const verdict = verify(untyped({ signature, timestamp, body: parsed, secrets: secret, now }))
    await expect(verdict).rejects.toMatchObject({
      code: 'BODY_NOT_RAW',
      message: expect.stringContaining('Read the raw body before a JSON parser does'),
    })
  })

  it('that was serialized again may pass, until one has other bytes: `JSON.stringify(request.body)` is no raw body', async () => {
    const again = (text: string) => JSON.stringify(JSON.parse(text))
    const verdictOn = async (text: string) => {
      const signed = await sign({ secret, timestamp: Number(timestamp), body: text })
      return verify({ signature: signed, timestamp, body: again(text), secrets: secret, now })
    }
    expect(await verdictOn(body)).toEqual(payload)
    for (const data of ['"share":1.0', '"name":"\\u00e9"']) {
      await expect(verdictOn(body.replace('"data":{', `"data":{${data},`))).rejects.toMatchObject({
        code: 'SIGNATURE_MISMATCH',
      })
    }
  })

  it('is read once: concurrent changes to the buffer have no effect', async () => {
    const buffer = bytes.slice()
    const verdict = verify({ signature, timestamp, body: buffer, secrets: secret, now })
    buffer.set(new TextEncoder().encode(body.replace('completed', 'forgedddd')))
    expect(await verdict).toEqual(payload)
  })

  it('of bytes that are not UTF-8 is malformed', async () => {
    const broken = bytes.slice()
    broken[body.indexOf('evt_')] = 0xff
    const signed = await sign({ secret, timestamp: Number(timestamp), body: broken })
    await expect(
      verify({ signature: signed, timestamp, body: broken, secrets: secret, now }),
    ).rejects.toMatchObject({ code: 'MALFORMED_BODY' })
  })
})

describe('secrets', () => {
  it('may be imported in advance, and mixed with strings', async () => {
    const key = await importSecret(secret)
    expect(await verify({ signature, timestamp, body, secrets: key, now })).toEqual(payload)
    expect(await verify({ signature, timestamp, body, secrets: ['whsec_other', key], now })).toEqual(payload)
    await expect(verify({ signature, timestamp, body: `${body} `, secrets: key, now })).rejects.toMatchObject(
      { code: 'SIGNATURE_MISMATCH' },
    )
  })

  it.each([
    ['none', []],
    ['an empty one', ''],
    ['an empty one beside a valid one', [secret, '']],
    ['an unset variable', undefined],
    ['an unset variable after whsec_', 'whsec_'],
  ])('that are misconfigured are a TypeError: %s', async (_, secrets) => {
    await expect(verify(untyped({ signature, timestamp, body, secrets, now }))).rejects.toThrow(TypeError)
  })

  it.each([
    ['a line break after it', `${secret}\n`],
    ['a line break of Windows after it', `${secret}\r\n`],
    ['a space before it, as in a split list', ` ${secret}`],
    ['a byte order mark before it', `\uFEFF${secret}`],
    ['double quotes around it', `"${secret}"`],
    ['single quotes around it', `'${secret}'`],
    ['a quote left over', `${secret}"`],
    ['white space instead of it', ' '],
  ])('say so if they have %s, instead of a mismatch, and do not show', async (_, wrong) => {
    const error = expect.objectContaining({
      name: 'TypeError',
      message: 'The signing secret has white space or quotes around it. Remove them where the secret is set.',
    })
    for (const secrets of [wrong, [secret, wrong]]) {
      await expect(verify({ signature, timestamp, body, secrets, now })).rejects.toEqual(error)
    }
    await expect(sign({ secret: wrong, timestamp: Number(timestamp), body })).rejects.toEqual(error)
    await expect(importSecret(wrong)).rejects.toEqual(error)
  })

  it('never show in an error', async () => {
    for (const wrong of [
      { body: 'x' },
      { signature: 'v1=0' },
      { timestamp: '1' },
      { timestamp: 'x' },
      { body: 5 },
    ]) {
      const options = untyped({ signature, timestamp, body, secrets: secret, now, ...wrong })
      const error = await verify(options).then(
        () => undefined,
        (reason: Error) => reason,
      )
      expect(error).toBeInstanceOf(Error)
      expect(`${error?.stack}${JSON.stringify(error)}`).not.toContain(secret.slice(6))
    }
  })
})

describe('tolerance (rule 3)', () => {
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000)

  it('can be narrower or wider than 300 s, both ways', async () => {
    const delivery = { signature, timestamp, body, secrets: secret }
    expect(await verify({ ...delivery, tolerance: 10, now: at(10) })).toEqual(payload)
    expect(await verify({ ...delivery, tolerance: 900, now: at(-900) })).toEqual(payload)
    for (const [tolerance, seconds] of [
      [10, 11],
      [10, -11],
      [0, 1],
      [-1, 0],
      [Number.NaN, 0],
    ] as const) {
      await expect(verify({ ...delivery, tolerance, now: at(seconds) })).rejects.toMatchObject({
        code: 'TIMESTAMP_OUT_OF_TOLERANCE',
      })
    }
  })

  it('uses the clock unless a time is given', async () => {
    const seconds = Math.floor(Date.now() / 1000)
    const fresh = await sign({ secret, timestamp: seconds, body })
    expect(await verify({ signature: fresh, timestamp: String(seconds), body, secrets: secret })).toEqual(
      payload,
    )
    const old = await sign({ secret, timestamp: seconds - 400, body })
    await expect(
      verify({ signature: old, timestamp: String(seconds - 400), body, secrets: secret }),
    ).rejects.toMatchObject({ code: 'TIMESTAMP_OUT_OF_TOLERANCE' })
  })

  it('fails closed on a clock that is not a time', async () => {
    const broken = new Date(Number.NaN)
    await expect(verify({ signature, timestamp, body, secrets: secret, now: broken })).rejects.toMatchObject({
      code: 'TIMESTAMP_OUT_OF_TOLERANCE',
    })
  })
})

describe('the signature by the previous secret, while a rotation overlaps', () => {
  const newSecret = 'whsec_bmV3IHNlY3JldCBuZXcgc2VjcmV0IG5ldyBzZWNyZXQ='
  const headers = async () => ({
    'x-service-timestamp': timestamp,
    'x-service-signature': await sign({ secret: newSecret, timestamp: Number(timestamp), body }),
    'x-service-signature-previous': signature,
  })

  it('is accepted by receivers with the old secret, and with the new one', async () => {
    for (const secrets of [secret, newSecret]) {
      expect(await verify({ headers: await headers(), body, secrets, now })).toEqual(payload)
    }
    const { 'x-service-signature': current } = await headers()
    expect(await verify({ signature: [current, signature], timestamp, body, secrets: secret, now })).toEqual(
      payload,
    )
  })

  it('may list several, for as many earlier secrets', async () => {
    const earlier = [1, 2].map((each) => `whsec_${Buffer.alloc(32, each).toString('base64')}`)
    const signatures = await Promise.all(
      earlier.map((each) => sign({ secret: each, timestamp: Number(timestamp), body })),
    )
    const list = [...signatures, signature].join(', ')
    const several = { ...(await headers()), 'x-service-signature-previous': list }
    for (const secrets of [newSecret, ...earlier, secret]) {
      expect(await verify({ headers: several, body, secrets, now })).toEqual(payload)
    }
    const without = { ...several, 'x-service-signature-previous': signatures.join(', ') }
    await expect(verify({ headers: without, body, secrets: secret, now })).rejects.toMatchObject({
      code: 'SIGNATURE_MISMATCH',
    })
  })

  it('does not help anyone without a secret', async () => {
    const forged = { ...(await headers()), 'x-service-signature-previous': `v1=${'0'.repeat(64)}` }
    await expect(verify({ headers: forged, body, secrets: secret, now })).rejects.toMatchObject({
      code: 'SIGNATURE_MISMATCH',
    })
  })

  it('does not replace the signature header', async () => {
    const { 'x-service-signature': _, ...rest } = await headers()
    await expect(verify({ headers: rest, body, secrets: secret, now })).rejects.toMatchObject({
      code: 'MISSING_HEADER',
    })
  })
})
