// The page at `/`. It uses only the API, as a partner and as a member.
import { call, lines, Problem } from './api.js'

const POLL_MS = 2000
const KEY_LIFETIME_DAYS = 30
const ENDPOINT_NAME = 'playground: the receiver of the page'
const SHOWN = 40

const byId = (id) => document.getElementById(id)

/** The signed-in member. A reload asks the server for all else: nothing is kept in the browser. */
let member = null
let apiKey
/** Arrivals of each event: a retry has the same ID. */
const arrivals = new Map()
let signedIn = new AbortController()

const organization = () => `/v1/organizations/${member.organization_id}`
const inPortal = (place) => `/portal/#/${member.organization_id}/${place}`

// ── Elements ────────────────────────────────────────────────────────────────

/** Text is never parsed as HTML. */
function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

const badge = (text, tone = '') => element('span', { className: `badge ${tone}` }, text)
const link = (text, href) => element('a', { href }, text)
function button(text, work) {
  const made = element('button', { type: 'button', className: 'button' }, text)
  made.addEventListener('click', () => attempt(work, made))
  return made
}
const tell = (text) => {
  byId('notice').textContent = text
}

/**
 * A request of the signed-in member. It throws if another member signs in meanwhile: the answer is not for that one, and
 * the next request would carry that one's session.
 */
function callAsMember(path, options) {
  const { signal } = signedIn
  return call(path, options).finally(() => signal.throwIfAborted())
}

/** Runs an action; an error is shown at the top of the page. */
async function attempt(work, pressed) {
  byId('alert').hidden = true
  if (pressed) pressed.disabled = true
  try {
    await work()
  } catch (error) {
    if (error.name === 'AbortError') return
    const code = error instanceof Problem && error.code ? `${error.code} (${error.status}): ` : ''
    byId('alert').textContent = `${code}${error.message}`
    byId('alert').hidden = false
  } finally {
    if (pressed) pressed.disabled = false
  }
}

const onClick = (id, work) => byId(id).addEventListener('click', ({ target }) => attempt(work, target))
const onSubmit = (id, work) =>
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(() => work(event.submitter), event.submitter)
  })

// ── 1. Sign in ──────────────────────────────────────────────────────────────

const members = await call('/play/members')
byId('member').append(
  ...members.map(({ email, role }) => element('option', { value: email }, `${email} (${role})`)),
)

onSubmit('sign-in', async () => {
  signedIn.abort()
  byId('workspace').hidden = true
  const { email, password } = members.find((each) => each.email === byId('member').value)
  await call('/login', { body: { email, password } })
  // Returns to the portal if it sent the member here; never to another site.
  const next = new URLSearchParams(location.search).get('next')
  if (next !== null && new URL(next, location.origin).origin === location.origin) location.replace(next)
  else await enter(await call('/play/session'))
})

onClick('sign-out', async () => {
  await call('/play/sign-out', { method: 'POST' })
  location.reload()
})

const RIGHTS = {
  admin: 'Admins manage webhooks.',
  member: 'Plain members create keys, but may not see webhooks.',
  viewer: 'Viewers create keys, and see webhooks without changing them.',
}

/** The session cookie survives a reload. */
async function enter(session) {
  signedIn.abort()
  signedIn = new AbortController()
  member = session
  arrivals.clear()
  for (const id of ['quotes', 'webhooks']) byId(id).replaceChildren()
  byId('member').value = member.email
  byId('sign-out').hidden = false
  byId('who').textContent = `You are ${member.email}. ${RIGHTS[member.role]}`
  for (const each of document.querySelectorAll('[data-portal]')) each.href = inPortal(each.dataset.portal)
  showKey(member.api_key, 'pk_…')
  byId('workspace').hidden = false
  tell(`Signed in as ${member.email}`)
  const { url } = await showReceiver()
  const endpoints = member.role !== 'member' ? await callAsMember(`${organization()}/webhooks`) : []
  showEndpoint(endpoints.find((each) => each.name === ENDPOINT_NAME && each.url === url))
  void repeat(showQuotes)
  void repeat(watchWebhooks)
}

/** Repeats while the member is signed in. Ignores failures: the next turn tries again. */
async function repeat(work) {
  const { signal } = signedIn
  while (!signal.aborted) {
    await work(signal).catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

// ── 2. API keys ─────────────────────────────────────────────────────────────

function showKey(key, shown = key) {
  apiKey = key ?? undefined
  byId('new-key').hidden = apiKey === undefined
  byId('new-key-value').textContent = apiKey === undefined ? '' : shown
  byId('copy-key').hidden = shown !== key
}

onSubmit('make-key', async () => {
  const expires = new Date(Date.now() + KEY_LIFETIME_DAYS * 86_400_000)
  const { key } = await callAsMember(`${organization()}/api-keys`, {
    body: { name: byId('key-name').value, expires_at: expires.toISOString() },
  })
  await callAsMember('/play/key', { method: 'PUT', body: { key } })
  showKey(key)
  tell('The key was created')
})

onClick('copy-key', async () => {
  await navigator.clipboard.writeText(apiKey)
  tell('Copied')
})

// ── 3. The receiver and its endpoint ────────────────────────────────────────

async function showReceiver(change) {
  const inbox = await callAsMember('/play/inbox', change && { method: 'PATCH', body: change })
  byId('receiver-url').textContent = inbox.url
  for (const radio of document.getElementsByName('behaviour')) radio.checked = radio.value === inbox.behaviour
  return inbox
}

function showEndpoint(endpoint) {
  byId('endpoint').textContent =
    endpoint === undefined
      ? 'Not connected: nothing is sent to it yet.'
      : `Connected to ${endpoint.events.length} events.`
  byId('endpoint-link').href = inPortal(endpoint === undefined ? 'endpoints' : `endpoints/${endpoint.id}`)
}

byId('behaviours').addEventListener('change', ({ target }) =>
  attempt(() => showReceiver({ behaviour: target.value })),
)

onClick('connect', async () => {
  const { url } = await showReceiver()
  const webhooks = `${organization()}/webhooks`
  const known = (await callAsMember(webhooks)).find(({ name }) => name === ENDPOINT_NAME)
  let endpoint
  if (known === undefined) {
    const events = (await callAsMember(`${webhooks}/events`)).map(({ type }) => type)
    endpoint = await callAsMember(webhooks, {
      body: { name: ENDPOINT_NAME, url, events, trigger_mode: 'always' },
    })
  } else {
    const body = { url, is_enabled: true, trigger_mode: 'always' }
    await callAsMember(`${webhooks}/${known.id}`, { method: 'PATCH', body })
    endpoint = await callAsMember(`${webhooks}/${known.id}/rotate-secret`, { body: {} })
  }
  await showReceiver({ secret: endpoint.secret })
  showEndpoint(endpoint)
  tell('The receiver is connected')
})

onSubmit('trust', async () => {
  await showReceiver({ secret: byId('trust-secret').value.trim() })
  byId('trust-secret').value = ''
  tell('The receiver verifies with this secret')
})

// ── 4. Start a quote ────────────────────────────────────────────────────────

for (const type of ['dragover', 'dragleave', 'drop']) {
  byId('drop').addEventListener(type, (event) => {
    event.preventDefault()
    byId('drop').classList.toggle('over', type === 'dragover')
    if (type === 'drop') byId('quote-files').files = event.dataTransfer.files
  })
}

onSubmit('start', async (submitter) => {
  const failAt = byId('fail-at').value
  const fields = {
    name: byId('quote-name').value,
    requirementsText: byId('quote-text').value,
    ...(failAt !== '' && { metadata: { demo: { fail_at: failAt } } }),
  }
  const { files } = byId('quote-files')
  await (submitter?.value === 'ui' ? startAsMember(fields, files) : startAsPartner(fields, files))
  byId('quote-files').value = ''
  tell('The quote was started')
  await showQuotes()
})

function startAsMember(fields, files) {
  if (files.length > 0)
    throw new Error('The web app of this example takes text only. Start with the API key to send files.')
  return callAsMember('/quotes', { body: { ...fields, organization_id: member.organization_id } })
}

function startAsPartner(fields, files) {
  if (apiKey === undefined) throw new Error('Create an API key first. A partner needs it to start quotes.')
  const path = '/v1/integrations/quotations'
  if (files.length === 0) return callAsMember(path, { key: apiKey, body: fields })
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== '') form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  for (const file of files) form.append('files', file)
  return callAsMember(path, { key: apiKey, body: form })
}

// ── 5. Quotes ───────────────────────────────────────────────────────────────

/** The newest quotes of the organization. Replaces only rows that changed. */
async function showQuotes() {
  const rows = (await callAsMember('/play/quotes')).map((quote) => {
    const shown = byId(`quote-${quote.id}`)
    const state = JSON.stringify(quote)
    return shown?.dataset.state === state ? shown : quoteRow(quote, state)
  })
  if (rows.some((row, index) => byId('quotes').children[index] !== row))
    byId('quotes').replaceChildren(...rows)
}

const TONES = { completed: 'good', failed: 'bad', running: 'wait' }

async function cancelQuote(id) {
  await callAsMember(`/play/quotes/${id}/cancel`, { method: 'POST' })
  tell('The quote was cancelled')
  await showQuotes()
}

function quoteRow({ id, name, source, status, error_code, steps }, state) {
  const title = element(
    'h3',
    {},
    name || 'A quote without a name',
    badge(error_code ?? status, TONES[status] ?? 'warn'),
    badge(source === 'ui' ? 'started by a member' : 'started by a partner'),
    ...(status === 'completed' ? [link('Open the proposal', `/play/quotes/${id}/document`)] : []),
    link('Its deliveries', inPortal(`deliveries?quote=${id}&span=all`)),
    ...(['queued', 'running'].includes(status) ? [button('Cancel', () => cancelQuote(id))] : []),
  )
  const progress = steps.map((each) =>
    element(
      'li',
      { className: 'status' },
      element('span', { className: `dot ${TONES[each.status] ?? 'off hollow'}`, ariaHidden: 'true' }),
      `${each.step.replaceAll('_', ' ')}: ${each.status}`,
    ),
  )
  const row = element(
    'li',
    { id: `quote-${id}` },
    title,
    element('ol', { className: 'progress' }, ...progress),
  )
  row.dataset.state = state
  return row
}

// ── 6. Webhooks, live ───────────────────────────────────────────────────────

async function watchWebhooks(signal) {
  arrivals.clear()
  byId('webhooks').replaceChildren()
  for await (const webhook of lines('/play/inbox/webhooks', { signal })) showWebhook(webhook)
}

function showWebhook({ received_at, headers, body, event, refusal, repeated, status }) {
  const arrival = (arrivals.get(event?.id) ?? 0) + 1
  if (event !== null) arrivals.set(event.id, arrival)
  const summary = element(
    'summary',
    {},
    element('time', { dateTime: received_at }, new Date(received_at).toLocaleTimeString()),
    element('strong', {}, event?.type ?? 'a webhook'),
    event === null ? badge(`refused: ${refusal}`, 'bad') : badge('signature verified', 'good'),
    ...(arrival > 1 ? [badge(`arrival ${arrival}`, 'warn')] : []),
    ...(repeated ? [badge('received before', 'warn')] : []),
    badge(status === null ? 'no answer' : `answered ${status}`, status === 204 ? 'good' : 'bad'),
  )
  const listed = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const details = element(
    'details',
    {},
    summary,
    element('pre', { tabIndex: 0 }, listed.join('\n')),
    element('pre', { tabIndex: 0 }, event === null ? body : JSON.stringify(JSON.parse(body), null, 2)),
    ...(event === null
      ? []
      : [link('This event in the portal', inPortal(`deliveries?event=${event.id}&span=all`))]),
  )
  byId('webhooks').prepend(element('li', {}, details))
  while (byId('webhooks').children.length > SHOWN) byId('webhooks').lastElementChild.remove()
}

const session = await call('/play/session')
if (session.email !== null) await attempt(() => enter(session))
document.documentElement.dataset.ready = 'true'
