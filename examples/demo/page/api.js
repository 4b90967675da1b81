// Calls the host's API with a member's session cookie or with an API key.

/** An error of the API: a problem document (RFC 9457). */
export class Problem extends Error {
  constructor(status, { title, detail, code, errors }) {
    const fields = (errors ?? []).map((each) => `${each.pointer}: ${each.detail}`)
    super([detail ?? title ?? `The response was ${status}.`, ...fields].join(' '))
    this.status = status
    this.code = code
  }
}

/** @param {string} path @param {{ method?: string, key?: string, body?: unknown }} options */
export async function call(path, { method, key, body } = {}) {
  const isForm = body instanceof FormData
  const response = await fetch(path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key === undefined ? {} : { 'X-API-Key': key }),
      ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer = text === '' ? undefined : JSON.parse(text)
  if (!response.ok) throw new Problem(response.status, answer ?? {})
  return answer
}

/** Calls back for each line of a JSON Lines stream, until it ends or the signal aborts. */
export async function* lines(path, { signal }) {
  const response = await fetch(path, { signal })
  if (!response.ok) throw new Problem(response.status, await response.json())
  let rest = ''
  for await (const chunk of chunks(response.body.pipeThrough(new TextDecoderStream()))) {
    const whole = (rest + chunk).split('\n')
    rest = whole.pop()
    for (const line of whole) if (line !== '') yield JSON.parse(line)
  }
}

/** Not every browser can iterate over a stream. */
async function* chunks(stream) {
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}
